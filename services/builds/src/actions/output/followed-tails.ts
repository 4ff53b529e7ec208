import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { sharedReads } from "@ci/kit/turns/shared-reads";
import { LRUCache } from "lru-cache";
import type { FollowedBuild } from "../../store/followed-builds.js";
import type { WithOutput } from "../../store/output.js";

/** The output in the record of a build, at a revision. */
type FollowedOutput = WithOutput & Pick<FollowedBuild, "rev">;

export interface FollowedTails {
  /** Keeps the tail of a build while there is room. Returns the build without it. */
  keep(build: FollowedBuild): FollowedBuild;
  /** Returns the output in the record of a build, as it is at `build` or later. */
  outputOf(build: FollowedBuild): Promise<WithOutput>;
  drop(buildId: number): void;
}

const maxBytes = fixedLimit({
  max: 32 * 1024 ** 2,
  unit: "bytes",
  about: "ends of the output of followed builds that a process caches, as roughly estimated",
  effect: "the least recently used ones are read again for followers that need them",
});

function sizeOf({ tail, parts = [] }: WithOutput): number {
  return tail.reduce((sum, { text, bytes }) => sum + 200 + 2 * text.length + bytes, 200 + 100 * parts.length);
}

/** Keeps the tails of followed builds apart from these, within a budget. `read` reads a build with its tail. */
export function followedTails(read: (buildId: number) => Promise<FollowedBuild>): FollowedTails {
  const tails = new LRUCache<number, FollowedOutput>({ maxSize: maxBytes, sizeCalculation: sizeOf });
  const shared = sharedReads<FollowedOutput>();

  function kept({ _id, rev, tail = [], tailFrom, parts }: FollowedBuild): FollowedOutput {
    const output = { _id, rev, tail, tailFrom, parts };
    if ((tails.peek(_id)?.rev ?? 0) <= rev) tails.set(_id, output);
    return output;
  }

  return {
    keep(build) {
      if (!build.tail) return build;
      kept(build);
      const { tail: _, ...rest } = build;
      return rest;
    },
    async outputOf({ _id, rev }) {
      const held = tails.get(_id);
      return held && held.rev >= rev ? held : shared(`${_id}`, async () => kept(await read(_id)));
    },
    drop: (buildId) => void tails.delete(buildId),
  };
}
