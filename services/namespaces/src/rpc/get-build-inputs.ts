import { namespaceScope, type Scoped, userScope } from "@ci/access/record-scope";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { invalid } from "@ci/kit/rpc/fault";
import { readPrivateKey, readValue } from "../actions/secrets.js";
import type { BuildInputHandlers, Context } from "../context.js";
import type { Encrypted } from "../domain/encrypted.js";
import { toObject } from "../domain/object.js";
import { maxDepth } from "../domain/path.js";
import type { ScopedStore } from "../store/scoped.js";

const maxPerScope = fixedLimit({
  max: 1_000,
  about: "variables, or keys, of a user or namespace that a build uses",
  refusal: "Manifest cannot use more than N variables of a user or namespace; delete some of them",
});
/** A build stores a copy of all inputs in one document. */
const maxBytes = fixedLimit({
  max: 8 * 1024 ** 2,
  unit: "bytes",
  about: "variables and keys of a build together",
  refusal: "Manifest variables and keys cannot exceed N; delete some of them",
});

const tooLarge = () =>
  invalid({ manifest: [`Manifest variables and keys cannot exceed ${maxBytes / 1024 ** 2} MiB; delete some of them`] });

type Secret = Scoped & Encrypted & { readonly config?: string };

/** Encrypted text is longer than its content, so this bound is rough: it only prevents reading far too much. */
const storedBytes = (doc: Secret | undefined): number =>
  doc === undefined ? 0 : doc.sealed.length + (doc.config?.length ?? 0);

/** Returns the records of these scopes, by name. A later scope overrides names of an earlier one. */
async function merged<D extends Secret>(
  store: Pick<ScopedStore<D>, "each">,
  scopes: readonly string[],
  what: "variables" | "keys",
  nameOf: (doc: D) => string,
): Promise<D[]> {
  const found = new Map<string, D>();
  const rank = new Map(scopes.map((scope, index) => [scope, index]));
  const counts = new Map<string, number>();
  let bytes = 0;
  for await (const doc of store.each(scopes)) {
    const count = (counts.get(doc.scope) ?? 0) + 1;
    counts.set(doc.scope, count);
    if (count > maxPerScope)
      throw invalid({
        manifest: [`Manifest cannot use more than ${maxPerScope} ${what} of a user or namespace; delete some of them`],
      });
    const other = found.get(nameOf(doc));
    if (other && rank.get(other.scope)! > rank.get(doc.scope)!) continue;
    found.set(nameOf(doc), doc);
    bytes += storedBytes(doc) - storedBytes(other);
    if (bytes > 2 * maxBytes) throw tooLarge();
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, doc]) => doc);
}

/** Returns the objects with these names. A later scope overrides names of an earlier one. */
async function objectsNamed(ctx: Context, scopes: readonly string[], names: readonly string[]) {
  if (names.length === 0) return [];
  const found = await ctx.objects.named(scopes, [...new Set(names)]);
  found.sort((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope));
  return [...new Map(found.map((doc) => [doc.name, toObject(doc)])).values()];
}

export const getBuildInputs =
  (ctx: Context): BuildInputHandlers["getBuildInputs"] =>
  async ({ userId, namespaceId, objectNames, ancestorIds }) => {
    const scopes = [
      ...(userId === undefined ? [] : [userScope(userId)]),
      ...ancestorIds.slice(-maxDepth).map(namespaceScope),
      ...(namespaceId === undefined ? [] : [namespaceScope(namespaceId)]),
    ];
    const [variableDocs, keyDocs, objects] = await Promise.all([
      merged(ctx.variables, scopes, "variables", ({ key }) => key),
      merged(ctx.keys, scopes, "keys", ({ name }) => name),
      objectsNamed(ctx, scopes, objectNames),
    ]);
    const variables = variableDocs.map((doc) => {
      const { _id: id, key, masked } = doc;
      return { id, key, masked, value: readValue(ctx.config.keyring, doc) };
    });
    const keys = keyDocs.map((doc) => {
      const { _id: id, name, config } = doc;
      return { id, name, config, privateKey: readPrivateKey(ctx.config.keyring, doc) };
    });
    const texts = [...variables.map(({ value }) => value), ...keys.flatMap((key) => [key.privateKey, key.config])];
    if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > maxBytes) throw tooLarge();
    return { variables, keys, objects };
  };
