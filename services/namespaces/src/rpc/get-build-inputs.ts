import { invalid } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { toObject } from "../domain/object.js";
import { namespaceScope, type Scoped, userScope } from "../domain/scope.js";
import type { Sealed } from "../domain/sealed.js";
import type { BuildInputHandlers } from "../resource-parts.js";
import { readPrivateKey, readValue } from "../secret.js";
import type { ScopedStore } from "../store/scoped.js";

const mostPerScope = 1_000;
/** A build keeps a copy of all of it in one document. */
const mostBytes = 8 * 1024 ** 2;

const tooLarge = () =>
  invalid({ manifest: [`Manifest variables and keys cannot exceed ${mostBytes / 1024 ** 2} MiB`] });

/** Everything in these scopes by name; of two with the same name the one in the later scope. */
async function merged<D extends Scoped & Sealed & { readonly config?: string }>(
  store: Pick<ScopedStore<D>, "each">,
  scopes: readonly string[],
  what: "variables" | "keys",
  nameOf: (doc: D) => string,
): Promise<D[]> {
  const found = new Map<string, D>();
  for (const scope of scopes) {
    let count = 0;
    let bytes = 0;
    for await (const doc of store.each(scope)) {
      found.set(nameOf(doc), doc);
      if (++count > mostPerScope)
        throw invalid({ manifest: [`Manifest cannot use more than ${mostPerScope} ${what} of a user or namespace`] });
      // Sealed text is longer than what it holds; this only ends the reading of far too much.
      bytes += doc.sealed.length + (doc.config?.length ?? 0);
      if (bytes > 2 * mostBytes) throw tooLarge();
    }
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, doc]) => doc);
}

/** The objects of these names; of two with the same name the one in the later scope. */
async function objectsNamed(ctx: Context, scopes: readonly string[], names: readonly string[]) {
  if (names.length === 0) return [];
  const found = await ctx.objects.named(scopes, [...new Set(names)]);
  found.sort((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope));
  return [...new Map(found.map((doc) => [doc.name, toObject(doc)])).values()];
}

export const getBuildInputs =
  (ctx: Context): BuildInputHandlers["getBuildInputs"] =>
  async ({ userId, namespaceId, objectNames }) => {
    const scopes = [
      ...(userId === undefined ? [] : [userScope(userId)]),
      ...(namespaceId === undefined ? [] : [namespaceScope(namespaceId)]),
    ];
    const [variableDocs, keyDocs, objects] = await Promise.all([
      merged(ctx.variables, scopes, "variables", ({ key }) => key),
      merged(ctx.keys, scopes, "keys", ({ name }) => name),
      objectsNamed(ctx, scopes, objectNames),
    ]);
    const variables = variableDocs.map((doc) => {
      const { _id: id, key, masked } = doc;
      return { id, key, masked, value: readValue(ctx.keyring, doc) };
    });
    const keys = keyDocs.map((doc) => {
      const { _id: id, name, config } = doc;
      return { id, name, config, privateKey: readPrivateKey(ctx.keyring, doc) };
    });
    const texts = [...variables.map(({ value }) => value), ...keys.flatMap((key) => [key.privateKey, key.config])];
    if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > mostBytes) throw tooLarge();
    return { variables, keys, objects };
  };
