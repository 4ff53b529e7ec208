import { isDeepStrictEqual } from "node:util";
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
  about: "characters of builds in lists that the gateway keeps, encoded and as JSON",
  effect: "the least recently listed ones are rendered again",
});

type Owned = Pick<Build, "userId" | "namespaceId">;

/** The records that the JSON of a build contains besides the build. */
interface Related {
  readonly user: User | undefined;
  readonly namespace: Namespace | undefined;
  readonly owner: User | undefined;
}

interface Rendered extends Owned {
  readonly json: string;
  related: Related;
}

function relatedTo({ userId, namespaceId }: Owned, { users, namespaces }: Relations): Related {
  const namespace = namespaceId === undefined ? undefined : namespaces.get(namespaceId);
  return { user: users.get(userId), namespace, owner: namespace && users.get(namespace.userId) };
}

const isSame = (a: Related, b: Related): boolean =>
  (a.user === b.user && a.namespace === b.namespace && a.owner === b.owner) || isDeepStrictEqual(a, b);

function render(build: Build, relations: Relations): Rendered {
  const { userId, namespaceId } = build;
  const json = JSON.stringify(buildJson(build, relations));
  return { json, userId, namespaceId, related: relatedTo(build, relations) };
}

/** Renders the builds of lists as JSON. One that was listed before is not decoded again unless something has changed. */
export function buildRenderer(
  ctx: Pick<Context, "accounts" | "users" | "namespaceCache" | "config">,
): (builds: readonly Buffer[]) => Promise<string[]> {
  const cache = new LRUCache<string, Rendered>({
    maxSize: maxCharacters,
    sizeCalculation: ({ json }, bytes) => json.length + bytes.length,
  });

  return async (builds) => {
    const listed = builds.map((bytes) => {
      // One character for each byte, so that equal keys mean equal bytes.
      const key = bytes.toString("latin1");
      const cached = cache.get(key);
      return { bytes, key, cached, build: cached ? undefined : Build.decode(bytes) };
    });
    const relations = await relationsFor(
      ctx,
      listed.map(({ cached, build }) => cached ?? build!),
    );
    return listed.map(({ bytes, key, cached, build }) => {
      const related = cached && relatedTo(cached, relations);
      if (cached && related && isSame(cached.related, related)) {
        cached.related = related;
        return cached.json;
      }
      const rendered = render(build ?? Build.decode(bytes), relations);
      cache.set(key, rendered);
      return rendered.json;
    });
  };
}
