import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Build } from "@ci/proto/builds/v1/builds";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { buildJson } from "@ci/rest/build";
import type { Relations } from "@ci/rest/relations";
import { LRUCache } from "lru-cache";
import type { Context } from "../context.js";
import { relationsFor } from "./relations.js";

const maxCharacters = fixedLimit({
  max: 4 * 1024 * 1024,
  about: "characters of builds in lists that the gateway keeps as JSON",
  effect: "the least recently listed ones are rendered again",
});

/** A build as JSON, and the cached records whose names it contains. */
interface Rendered {
  readonly json: string;
  readonly user: User;
  readonly namespace?: { readonly itself: Namespace; readonly owner: User } | undefined;
}

type Needs = Pick<Context, "accounts" | "users" | "namespaceCache" | "config">;

/** Renders the builds of lists as JSON. Only those whose bytes are new, or whose names may have changed, are decoded. */
export function buildRenderer(ctx: Needs): (builds: readonly Buffer[]) => Promise<string[]> {
  const known = new LRUCache<string, Rendered>({
    maxSize: maxCharacters,
    sizeCalculation: ({ json }, bytes) => json.length + bytes.length,
  });

  const isCurrent = ({ user, namespace }: Rendered): boolean =>
    ctx.users.get(user.id) === user &&
    (!namespace ||
      (ctx.namespaceCache.get(namespace.itself.id) === namespace.itself &&
        ctx.users.get(namespace.owner.id) === namespace.owner));

  function keep(bytes: string, json: string, { userId, namespaceId }: Build, { users, namespaces }: Relations): void {
    const user = users.get(userId);
    const itself = namespaceId === undefined ? undefined : namespaces.get(namespaceId);
    const owner = itself && users.get(itself.userId);
    if (!user || (namespaceId !== undefined && !owner)) return;
    known.set(bytes, { json, user, namespace: itself && owner && { itself, owner } });
  }

  return async (builds) => {
    // One character for each byte, so that equal keys mean equal bytes.
    const keys = builds.map((bytes) => bytes.toString("latin1"));
    const found = keys.map((key) => known.get(key)).map((rendered) => rendered && isCurrent(rendered) && rendered.json);
    const missing = builds.flatMap((bytes, index) => (found[index] ? [] : [{ index, build: Build.decode(bytes) }]));
    if (missing.length === 0) return found as string[];
    const relations = await relationsFor(
      ctx,
      missing.map(({ build }) => build),
    );
    for (const { index, build } of missing) {
      const json = JSON.stringify(buildJson(build, relations));
      keep(keys[index]!, json, build, relations);
      found[index] = json;
    }
    return found as string[];
  };
}
