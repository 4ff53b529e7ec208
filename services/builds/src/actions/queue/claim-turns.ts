import { findInTurn } from "@ci/kit/turns/find-in-turn";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import { LRUCache } from "lru-cache";
import type { LineStore, Turn } from "../../store/queue/line.js";
import type { HeldBack, Oldest } from "../../store/queue/oldest-builds.js";
import type { QueueStore } from "../../store/queue/queue.js";
import { isStart, type Stop } from "../../store/queue/walks.js";

/** A build that this process is about to claim. Until `release`, its other claims take later builds. */
export interface Picked extends Pick<Oldest, "isOnly"> {
  readonly doc: NonNullable<Oldest["doc"]>;
  release(): void;
}

/** How many users' searches can continue where the last one stopped. Those of other users begin anew. */
const maxStops = 1_000;

/** Coordinates the claims of a process, which would otherwise all try to claim the same build. */
export interface ClaimTurns {
  /** Gives a turn to the next user whom this claim has not tried. */
  next(drivers: readonly Driver_Type[], tried: ReadonlySet<string>): Promise<Turn | undefined>;
  /** Picks a user's oldest build that is not held back. A user without queued builds leaves the line. */
  pick(turn: Turn, heldBack: HeldBack): Promise<Picked | undefined>;
}

export function claimTurns(line: LineStore, queue: Pick<QueueStore, "oldest">): ClaimTurns {
  const findTurn = findInTurn<Turn>();
  const findOldest = findInTurn<Picked>();
  const picked = new Map<string, Set<number>>();
  const stops = new LRUCache<string, Stop>({ max: maxStops });

  function reserve(turnId: string, found: Omit<Picked, "release">): Picked {
    const ids = picked.get(turnId) ?? new Set();
    const { _id } = found.doc;
    const isOnly = found.isOnly && ids.size === 0;
    picked.set(turnId, ids.add(_id));
    const release = () => {
      ids.delete(_id);
      if (ids.size === 0) picked.delete(turnId);
    };
    return { doc: found.doc, isOnly, release };
  }

  return {
    next: (drivers, tried) =>
      // A claim that finds nobody may have tried users whom others have not.
      findTurn(
        `${[...drivers].sort()} ${[...tried].sort()}`,
        async () => (await line.next(drivers, tried)) ?? undefined,
      ),
    pick(turn, heldBack) {
      const isFree = heldBack.roots.length === 0 && !heldBack.busyGroups;
      // Claims hold back different builds: if one finds nothing, others still may.
      const key = isFree ? turn._id : `${turn._id} ${heldBack.roots} ${heldBack.busyGroups}`;
      return findOldest(key, async () => {
        const ids = picked.get(turn._id) ?? new Set();
        const leftOut = { ...heldBack, ids: [...ids] };
        const { doc, isOnly, stop } = await queue.oldest(turn.driver, turn.userId, leftOut, stops.get(turn._id));
        if (isStart(stop)) stops.delete(turn._id);
        else stops.set(turn._id, stop);
        if (doc) return reserve(turn._id, { doc, isOnly });
        if (isFree && !picked.has(turn._id)) line.leave(turn);
        return undefined;
      });
    },
  };
}
