import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { LRUCache } from "lru-cache";
import type { Collection } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

/** The fields that decide who may see a build. If they come from memory, the namespace may be gone. */
type LocatedBuild = Pick<BuildDoc, "_id" | "userId" | "namespaceId">;

const maxRemembered = fixedLimit({
  max: 10_000,
  about: "builds whose id a process remembers by their number",
  effect: "the least recently used ones are read again",
});

// What a new primary rolls back must not be cached: another build may get the number.
const lasting = { projection: { userId: 1, namespaceId: 1 }, readConcern: "majority" } as const;

/** Finds builds by number and caches their ids. A later read by id shows whether the build still exists. */
export function buildLocator(builds: Collection<BuildDoc>) {
  const known = new LRUCache<string, LocatedBuild>({ max: maxRemembered });
  const keyOf = (userId: number, number: number) => `${userId}/${number}`;

  return {
    remember({ _id, userId, namespaceId, number }: BuildDoc): void {
      known.set(keyOf(userId, number), { _id, userId, namespaceId });
    },
    async locate(userId: number, number: number): Promise<LocatedBuild | undefined> {
      const key = keyOf(userId, number);
      const remembered = known.get(key);
      if (remembered) return remembered;
      const found = await builds.findOne({ userId, number }, lasting);
      if (found) known.set(key, found);
      return found ?? undefined;
    },
  };
}
