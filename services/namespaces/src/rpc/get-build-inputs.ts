import { invalid } from "@ci/kit/fault";
import type { Context } from "../context.js";
import { toObject } from "../domain/object.js";
import { namespaceScope, type Scoped, userScope } from "../domain/scope.js";
import type { BuildInputHandlers } from "../resource-parts.js";
import { readPrivateKey, readValue } from "../secret.js";
import type { ScopedStore } from "../store/scoped.js";

const mostPerScope = 1_000;
/** A build keeps a copy of all of it in one document. */
const mostBytes = 8 * 1024 ** 2;

/** Everything in these scopes; of two with the same name the one in the later scope. */
async function merged<D extends Scoped>(
  store: Pick<ScopedStore<D>, "all">,
  scopes: readonly string[],
  what: "variables" | "keys",
  nameOf: (doc: D) => string,
): Promise<D[]> {
  const found = await Promise.all(scopes.map((scope) => store.all(scope, mostPerScope + 1)));
  if (found.some(({ length }) => length > mostPerScope))
    throw invalid({ manifest: [`Manifest cannot use more than ${mostPerScope} ${what} of a user or namespace`] });
  return [...new Map(found.flat().map((doc) => [nameOf(doc), doc])).values()];
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
    const variables = (await merged(ctx.variables, scopes, "variables", ({ key }) => key)).map((doc) => {
      const { _id: id, key, masked } = doc;
      return { id, key, masked, value: readValue(ctx.keyring, doc) };
    });
    const keys = (await merged(ctx.keys, scopes, "keys", ({ name }) => name)).map((doc) => {
      const { _id: id, name, config } = doc;
      return { id, name, config, privateKey: readPrivateKey(ctx.keyring, doc) };
    });
    const texts = [...variables.map(({ value }) => value), ...keys.flatMap((key) => [key.privateKey, key.config])];
    if (texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) > mostBytes)
      throw invalid({ manifest: [`Manifest variables and keys cannot exceed ${mostBytes / 1024 ** 2} MiB`] });
    return { variables, keys, objects: await objectsNamed(ctx, scopes, objectNames) };
  };
