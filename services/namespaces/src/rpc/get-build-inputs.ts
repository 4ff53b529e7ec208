import { namespaceScope, type Scoped, userScope } from "@ci/access/record-scope";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { invalid } from "@ci/kit/rpc/fault";
import { fairly } from "@ci/kit/turns/fairly";
import { decryptSecret } from "../actions/secrets.js";
import type { BuildInputHandlers, Context } from "../context.js";
import type { Encrypted } from "../domain/encrypted.js";
import type { KeyDoc } from "../domain/key.js";
import { toObject } from "../domain/object.js";
import { maxDepth } from "../domain/path.js";
import type { VariableDoc } from "../domain/variable.js";
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

const maxSmallRecord = fixedLimit({
  max: 8 * 1024,
  unit: "bytes",
  about: "record of a variable or key that is read for a build without waiting",
  effect: "the build's variables and keys are read in a turn",
});
const maxSmallBytes = fixedLimit({
  max: 256 * 1024,
  unit: "bytes",
  about: "encrypted variables and keys of a build that are read without waiting, together",
  effect: "they are read in a turn",
});
const refusal = "Too many large builds at once; await a response before you send the next";
const maxReads = fixedLimit({
  max: 4,
  about: "builds whose large variables and keys a process reads at a time, half of them at most of one user",
  effect: "further ones wait; users take turns",
});
const maxWaiting = fixedLimit({
  max: 1_000,
  about: "builds of one user whose large variables and keys wait to be read",
  refusal,
});
const inTurn = fairly<string | undefined>(maxReads, maxWaiting, refusal);

const tooLarge = () =>
  invalid({ manifest: [`Manifest variables and keys cannot exceed ${maxBytes / 1024 ** 2} MiB; delete some of them`] });

type Secret = Scoped & Encrypted & { readonly config?: string };

/** Encrypted text is longer than its content, so this bound is rough: it only prevents reading far too much. */
const storedBytes = (doc: Secret | undefined): number =>
  doc === undefined ? 0 : doc.sealed.length + (doc.config?.length ?? 0);

/** A reading of variables and keys. Only those of a small one may be read outside a turn. */
interface Reading {
  readonly scopes: readonly string[];
  readonly isSmall: boolean;
  bytes: number;
}

const isWhole = <D extends Secret>(doc: Partial<D> & Scoped): doc is D => doc.sealed !== undefined;

/** Returns the records by name; undefined if they are too large for a small reading. A later scope overrides names. */
async function merged<D extends Secret>(
  store: Pick<ScopedStore<D>, "each" | "eachSmall">,
  reading: Reading,
  what: "variables" | "keys",
  nameOf: (doc: D) => string,
): Promise<D[] | undefined> {
  const { scopes, isSmall } = reading;
  const found = new Map<string, D>();
  const rank = new Map(scopes.map((scope, index) => [scope, index]));
  const counts = new Map<string, number>();
  for await (const doc of isSmall ? store.eachSmall(scopes, maxSmallRecord) : store.each(scopes)) {
    if (!isWhole<D>(doc)) return undefined;
    const count = (counts.get(doc.scope) ?? 0) + 1;
    counts.set(doc.scope, count);
    if (count > maxPerScope)
      throw invalid({
        manifest: [`Manifest cannot use more than ${maxPerScope} ${what} of a user or namespace; delete some of them`],
      });
    const other = found.get(nameOf(doc));
    if (other && rank.get(other.scope)! > rank.get(doc.scope)!) continue;
    found.set(nameOf(doc), doc);
    reading.bytes += storedBytes(doc) - storedBytes(other);
    if (isSmall && reading.bytes > maxSmallBytes) return undefined;
    if (reading.bytes > 2 * maxBytes) throw tooLarge();
  }
  return [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, doc]) => doc);
}

const variablesOf = (ctx: Context, reading: Reading) => merged(ctx.variables, reading, "variables", ({ key }) => key);
const keysOf = (ctx: Context, reading: Reading) => merged(ctx.keys, reading, "keys", ({ name }) => name);

function decrypted({ config: { keyring } }: Context, variableDocs: readonly VariableDoc[], keyDocs: readonly KeyDoc[]) {
  const variables = variableDocs.map((doc) => {
    const { _id: id, key, masked } = doc;
    return { id, key, masked, value: decryptSecret(keyring, "variable", doc) };
  });
  const keys = keyDocs.map((doc) => {
    const { _id: id, name, config } = doc;
    return { id, name, config, privateKey: decryptSecret(keyring, "key", doc) };
  });
  const texts = [...variables.map(({ value }) => value), ...keys.flatMap((key) => [key.privateKey, key.config])];
  if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > maxBytes) throw tooLarge();
  return { variables, keys };
}

async function readSmall(ctx: Context, scopes: readonly string[]) {
  const reading = { scopes, isSmall: true, bytes: 0 };
  const [variables, keys] = await Promise.all([variablesOf(ctx, reading), keysOf(ctx, reading)]);
  return variables && keys && decrypted(ctx, variables, keys);
}

async function readLarge(ctx: Context, scopes: readonly string[]) {
  const reading = { scopes, isSmall: false, bytes: 0 };
  const variables = await variablesOf(ctx, reading);
  const keys = await keysOf(ctx, reading);
  return decrypted(ctx, variables!, keys!);
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
  async ({ userId, namespaceId, objectNames, ancestorIds }, { signal }) => {
    const scopes = [
      ...(userId === undefined ? [] : [userScope(userId)]),
      ...ancestorIds.slice(-maxDepth).map(namespaceScope),
      ...(namespaceId === undefined ? [] : [namespaceScope(namespaceId)]),
    ];
    const [small, objects] = await Promise.all([readSmall(ctx, scopes), objectsNamed(ctx, scopes, objectNames)]);
    const secrets = small ?? (await inTurn(scopes[0], () => readLarge(ctx, scopes), signal));
    return { ...secrets, objects };
  };
