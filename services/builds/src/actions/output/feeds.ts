import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "@ci/kit/process/log";
import { detached } from "@ci/kit/rpc/caller";
import type { FollowedBuild } from "../../store/followed-builds.js";
import type { WithOutput } from "../../store/output.js";
import { followedNews, type Known } from "./followed-news.js";
import { type FollowedTails, followedTails } from "./followed-tails.js";
import type { Wakeups } from "./wakeups.js";

/** Number of followers to wake before other calls, such as renewals of leases, get a turn. */
const slice = 50;

/** The build as last read, without its tail, and why it waits in the queue. */
export interface Followed {
  readonly build: FollowedBuild;
  readonly waiting?: string | undefined;
  /** When to read it again, though nothing has changed. */
  readonly lookAgainMs?: number;
}

/** One follower's view of a build. Dispose of it at the end. */
export interface Feed extends Disposable {
  /** Returns the build as last read, and the number of that read. Throws if it could not be read. */
  latest(): Followed & { readonly reading: number };
  /** Returns the output in the record of the build as last read, or a later one. */
  output(): Promise<WithOutput>;
  /** Resolves after a later read, or at the signal. */
  after(reading: number, signal: AbortSignal): Promise<void>;
}

export interface Feeds {
  /** Follows a build. All its followers share one reader. Resolves once the build has been read. */
  follow(buildId: number): Promise<Feed>;
}

/** Followers that wait for the next read. */
function audience() {
  const waiting = new Set<() => void>();
  return {
    wait: (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        function wake(): void {
          signal.removeEventListener("abort", wake);
          waiting.delete(wake);
          resolve();
        }
        signal.addEventListener("abort", wake);
        waiting.add(wake);
      }),
    async wakeAll(): Promise<void> {
      const all = [...waiting];
      for (let from = 0; from < all.length; from += slice) {
        for (const wake of all.slice(from, from + slice)) wake();
        await new Promise(setImmediate);
      }
    },
  };
}

type Read = (known: Known) => Promise<Followed>;
type Listen = (onChange: (written: FollowedBuild | undefined) => void) => Disposable;

/**
 * Reads a build whenever it changes, unless this process has just written it. Pauses as long as each read took, so that
 * followers get half of the time.
 */
function sharedReader(read: Read, listen: Listen, keep: FollowedTails["keep"]) {
  const over = new AbortController();
  const { wait, wakeAll } = audience();
  let result: { followed: Followed } | { error: unknown } | undefined;
  let reading = 0;

  /** Returns what it has read, if it could. Notifies followers either way. */
  async function readOnce(known: Known): Promise<Followed | undefined> {
    const latest = await read(known).then(
      (followed) => ({ followed: { ...followed, build: keep(followed.build) } }),
      (error) => ({ error }),
    );
    result = latest;
    reading++;
    await wakeAll();
    return "followed" in latest ? latest.followed : undefined;
  }

  return {
    over,
    latest() {
      if (!result) throw new Error("not read yet");
      if ("error" in result) throw result.error;
      return { ...result.followed, reading };
    },
    async after(earlier: number, signal: AbortSignal): Promise<void> {
      if (reading <= earlier && !signal.aborted) await wait(signal);
    },
    /** Runs until nobody follows the build, or until an error. */
    async run(): Promise<void> {
      const news = followedNews();
      // Listen before reading. Otherwise a change between the two would be missed.
      using _listening = listen(news.add);
      let known: Known = {};
      while (!over.signal.aborted) {
        const startedAt = performance.now();
        const read = await readOnce(known);
        if (!read) return;
        const next = news.after(read.build, over.signal, read.lookAgainMs);
        [known] = await Promise.all([next, delay(performance.now() - startedAt)]);
      }
    },
  };
}
type SharedReader = ReturnType<typeof sharedReader> & { followers: number };

/** Opens feeds. `read` reads a build unless it is known, and adds what followers see. */
export function feedsOf(
  read: (buildId: number, known: Known) => Promise<Followed>,
  wakeups: Pick<Wakeups, "listen">,
  log: Log,
): Feeds {
  const readers = new Map<number, SharedReader>();
  const tails = followedTails(async (buildId) => (await read(buildId, {})).build);

  function readerOf(buildId: number): SharedReader {
    const known = readers.get(buildId);
    if (known) return known;
    const shared = sharedReader(
      (known) => read(buildId, known),
      (onChange) => wakeups.listen(buildId, onChange),
      tails.keep,
    );
    const reader = { ...shared, followers: 0 };
    readers.set(buildId, reader);
    detached(reader.run)
      .catch((err) => log.error({ err, build: buildId }, "stopped following a build"))
      .finally(() => {
        if (readers.get(buildId) === reader) readers.delete(buildId);
      });
    return reader;
  }

  function leave(buildId: number, reader: SharedReader): void {
    if (--reader.followers > 0) return;
    reader.over.abort();
    if (readers.get(buildId) !== reader) return;
    readers.delete(buildId);
    tails.drop(buildId);
  }

  return {
    async follow(buildId) {
      const reader = readerOf(buildId);
      reader.followers++;
      const { latest, after } = reader;
      // The reader never gives up before its first reading.
      await after(0, new AbortController().signal);
      const output = () => tails.outputOf(latest().build);
      return { latest, output, after, [Symbol.dispose]: () => leave(buildId, reader) };
    },
  };
}
