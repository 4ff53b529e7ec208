import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Caller } from "@ci/kit/rpc/caller";
import type { Build_Status, BuildRef, WatchOutputResponse } from "@ci/proto/builds/v1/builds";
import type { Context } from "../../context.js";
import { isForgotten } from "../../domain/approval.js";
import { completeBytes, continuationBytes } from "../../domain/characters.js";
import { type Cut, timedCutter } from "../../domain/timed-lines.js";
import type { FollowedBuild } from "../../store/followed-builds.js";
import type { OutputRange, WithOutput } from "../../store/output.js";
import { findBuild, requireAccess } from "../see.js";
import type { Feed } from "./feeds.js";
import { beginsLine, endOf, jobIndex, progress } from "./output.js";

/** At most this much output is in memory for each follower, however slowly it reads. */
const maxBlockBytes = fixedLimit({
  max: 64 * 1024,
  unit: "bytes",
  about: "output that is in memory for one follower",
  effect: "the follower gets more once it has read that",
});
/** A client buffers some messages of a follower that reads slowly. */
const maxPieceBytes = fixedLimit({
  max: 8 * 1024,
  unit: "bytes",
  about: "one message of output to a follower",
  effect: "the rest follows in the next message",
});

interface Watched {
  readonly ref: BuildRef | undefined;
  readonly job?: string | undefined;
  readonly offset: number;
  /** Whether each line begins with its time. */
  readonly timestamps: boolean;
  readonly acceptsEndOfPiece: boolean;
}

/** Reads the output of a build at the pace of one follower. */
interface OutputReader extends Disposable {
  /** Returns the next item; undefined after the last one and at the signal. */
  next(signal: AbortSignal): Promise<WatchOutputResponse | undefined>;
}

const item = (one: WatchOutputResponse["item"]): WatchOutputResponse => ({ item: one });

/** A block of output, of which texts are taken. */
interface Block {
  isEmpty(): boolean;
  /** Gets the range's next bytes. */
  fill(build: FollowedBuild & WithOutput, range: OutputRange): Promise<void>;
  take(): Cut;
}

/** Cuts a block into pieces at the borders of characters. */
function plainBlock(ctx: Context): Block {
  let block: Buffer = Buffer.alloc(0);
  return {
    isEmpty: () => block.length === 0,
    async fill(build, range) {
      const bytes = await ctx.output.next(build, range, maxBlockBytes);
      block = bytes.subarray(0, completeBytes(bytes));
    },
    take() {
      const text = block.subarray(0, completeBytes(block.subarray(0, maxPieceBytes)));
      block = block.subarray(text.length);
      return { text, bytes: text.length };
    },
  };
}

/** The same with the time at the beginning of each line. */
function timedBlock(ctx: Context): Block {
  let cutter: ReturnType<typeof timedCutter> | undefined;
  return {
    isEmpty: () => cutter?.isEmpty() ?? true,
    async fill(build, range) {
      cutter ??= timedCutter(maxPieceBytes, await beginsLine(ctx, build, range));
      cutter.fill(await ctx.output.nextTimed(build, range, maxBlockBytes));
    },
    take: () => cutter!.take(),
  };
}

function readerOf(ctx: Context, caller: Caller, feed: Feed, watched: Watched): OutputReader {
  const { job: name, offset, timestamps, acceptsEndOfPiece } = watched;
  const block = timestamps ? timedBlock(ctx) : plainBlock(ctx);
  let at: number | undefined;
  let lastWaiting: string | undefined;
  let ended = false;

  function nextPiece(): WatchOutputResponse {
    const { text, bytes } = block.take();
    at! += bytes;
    // An invalid offset may point into the middle of a character.
    const whole = text.subarray(continuationBytes(text)).toString();
    return item({ $case: "piece", value: { text: whole, offset: at! } });
  }

  function end(status: Build_Status): WatchOutputResponse {
    ended = true;
    return item({ $case: "end", value: { status } });
  }

  /** Returns what the latest reading has for this follower, or its number if that is nothing. */
  async function look(): Promise<WatchOutputResponse | number> {
    const { build, waiting, reading } = feed.latest();
    // Check the permission each time, because the follower may have lost it.
    await requireAccess(ctx, caller, "view", build);
    if (isForgotten(build)) return end(build.status);
    const job = jobIndex(build, name);
    const { bytes } = progress(build, job);
    const status = endOf(build, job);
    at ??= Math.max(0, Math.min(offset, bytes));
    if (at < bytes) await block.fill({ ...build, ...(await feed.output()) }, { job, start: at, end: bytes });
    if (!block.isEmpty()) {
      const piece = nextPiece();
      if (!acceptsEndOfPiece || status === undefined || at !== bytes) return piece;
      ended = true;
      return { ...piece, endOfPiece: { status } };
    }
    const isNews = waiting !== undefined && waiting !== lastWaiting;
    lastWaiting = waiting;
    if (isNews) return item({ $case: "waiting", value: { text: waiting } });
    return status === undefined ? reading : end(status);
  }

  return {
    async next(signal) {
      while (!ended && !signal.aborted) {
        if (!block.isEmpty()) return nextPiece();
        const found = await look();
        if (typeof found !== "number") return found;
        await feed.after(found, signal);
      }
      return undefined;
    },
    [Symbol.dispose]: () => feed[Symbol.dispose](),
  };
}

/** Opens a reader of a build that the caller can see, or of one of its jobs. */
export async function openOutput(ctx: Context, caller: Caller, watched: Watched): Promise<OutputReader> {
  const { _id } = await findBuild(ctx, caller, watched.ref);
  const feed = await ctx.feeds.follow(_id);
  try {
    jobIndex(feed.latest().build, watched.job);
    return readerOf(ctx, caller, feed, watched);
  } catch (error) {
    feed[Symbol.dispose]();
    throw error;
  }
}
