import { type FileHandle, open, rm } from "node:fs/promises";
import { filesText, roundedSize } from "@ci/kit/bytes/size-text";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Log } from "@ci/kit/process/log";
import { traced } from "@ci/kit/process/trace";
import type { AssignedCache, Assignment, CacheEntry } from "@ci/proto/builds/v1/queue";
import { type Copies, hashOf } from "../caches/copies.js";
import { keyOf } from "../caches/key.js";
import { isBelow } from "../caches/names.js";
import { archiveFormat, type Packing, packTrees } from "../caches/pack.js";
import { fetchEntry, sendEntry, type Transferring } from "../caches/transfer.js";
import type { Environment, Tree } from "../driver.js";
import { DiskFull, HostTrouble, isConflict, isHostTrouble, reasonOf } from "../endings/errors.js";
import { retry } from "../endings/retry.js";
import { placedNames } from "./placed.js";

const maxOutageMs = fixedLimit({
  max: 20_000,
  unit: "ms",
  about: "how long a cache waits for a builds service that is away",
  effect: "the cache is not used, and the job's output says why",
});

interface Caching extends Omit<Transferring, "signal"> {
  readonly build: Pick<Assignment, "caches" | "cacheLimitBytes" | "cacheReadOnly" | "objects" | "keys">;
  readonly environment: Pick<Environment, "list" | "open" | "trees" | "sshFolder">;
  readonly copies: Copies;
  /** Ends the fetching of entries, and the run; the environment stays usable. */
  readonly stop: AbortSignal;
  readonly log: Log;
}

/** The caches of one build. A failure is printed and fails nothing. */
export interface BuildCaches {
  /** Places what earlier builds have kept. */
  restore(say: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** Stores what this build has made, except of caches that had an entry with the same key. */
  store(say: (line: string) => void, signal: AbortSignal): Promise<void>;
}

const secondsSince = (startedAt: number): string => `${((performance.now() - startedAt) / 1_000).toFixed(2)} s`;

/** The environment may hold a part of a cache, or damaged files: only a new one is clean. */
class Damaged extends HostTrouble {}

type Content = Required<Pick<Packing, "layout" | "wanted" | "placed">>;

function contentOf({ paths }: AssignedCache, { build, environment }: Caching): Content {
  const { layout, nameOf } = environment.trees;
  return { layout, wanted: paths.map(nameOf), placed: placedNames(build, environment) };
}

/** The files that the build places below the cached paths. */
const placedIn = ({ wanted, placed }: Content): string[] =>
  placed.filter((name) => wanted.some((folder) => isBelow(name, folder)));

/** Places what an archive holds besides the files that the build places. */
async function placeRest(
  archive: FileHandle,
  packing: Packing,
  { copies, environment: { trees } }: Caching,
): Promise<void> {
  async function* all(): AsyncGenerator<Tree> {
    yield { folder: "", content: archive.createReadStream({ start: 0, autoClose: false }) };
  }
  const part = copies.part();
  const { signal } = packing;
  try {
    const { sizeBytes } = await packTrees(all(), part, packing);
    await using rest = await open(part, "r");
    await trees.place(rest, sizeBytes, signal);
  } finally {
    await rm(part, { force: true });
  }
}

async function fetchCopy(entry: CacheEntry, on: Caching, signal: AbortSignal): Promise<void> {
  const { copies } = on;
  const part = copies.part();
  try {
    await fetchEntry(entry, part, { ...on, signal });
    await copies.keep(part, entry.sha256);
  } finally {
    await rm(part, { force: true });
  }
}

/** Places an entry, or only this content of it. Returns whether the runner had a copy of it. */
async function placeEntry(
  entry: CacheEntry,
  content: Content | undefined,
  on: Caching,
  signal: AbortSignal,
): Promise<boolean> {
  const { copies, environment } = on;
  const { sha256, size } = entry;
  let kept = await copies.open(sha256);
  const hadCopy = kept !== undefined;
  if (!kept) {
    const until = AbortSignal.any([signal, on.stop]);
    await retry(until, () => fetchCopy(entry, on, until), maxOutageMs);
    kept = await copies.open(sha256);
    if (!kept) throw new HostTrouble("the disk of the runner does not work");
  }
  try {
    // The hash costs little beside the placing, and nothing on a second processor.
    const placing = content
      ? placeRest(kept, { ...content, limitBytes: size, signal }, on)
      : environment.trees.place(kept, size, signal);
    const [actual] = await Promise.all([hadCopy ? hashOf(kept, signal) : sha256, placing]);
    if (actual !== sha256) {
      await copies.drop(sha256);
      throw new Damaged("this runner's copy of a cache is damaged");
    }
    return hadCopy;
  } catch (error) {
    if (!isHostTrouble(error) || error instanceof DiskFull) throw error;
    throw new Damaged(reasonOf(error), { cause: error });
  } finally {
    await kept.close();
    if (!hadCopy) await copies.trim();
  }
}

async function restoreOne(
  cache: AssignedCache,
  { key, content }: Chosen,
  on: Caching,
  { say, signal }: Saying,
): Promise<{ exact: boolean }> {
  const startedAt = performance.now();
  const { buildId, epoch } = on.mark;
  const asked = { buildId, epoch, name: cache.name, key, format: archiveFormat };
  const { entry, exact, format } = await retry(signal, () => on.queue.findCache(asked, { signal }), maxOutageMs);
  if (!entry || format !== archiveFormat) {
    say(`Cache ${cache.name}: miss`);
    return { exact: false };
  }
  // An entry with this key has the same paths, and no file that the build places. Others may differ in both.
  const hasPlaced = !exact && content.placed.length > 0;
  const hadCopy = await placeEntry(entry, hasPlaced ? content : undefined, on, signal);
  const from = hadCopy ? "from this runner's copy" : "fetched";
  const how = exact ? "hit" : "no entry for this key, placed the newest one";
  say(`Cache ${cache.name}: ${how}: ${roundedSize(entry.size)} in ${secondsSince(startedAt)}, ${from}`);
  return { exact };
}

async function storeOne(
  cache: AssignedCache,
  { key, content }: Chosen,
  on: Caching,
  { say, signal }: Saying,
): Promise<void> {
  const { environment, copies, build } = on;
  const { trees } = environment;
  const startedAt = performance.now();
  const part = copies.part();
  try {
    const options = { ...content, limitBytes: build.cacheLimitBytes, signal };
    const { files, sizeBytes, sha256, skipped } = await packTrees(trees.read(cache.paths, signal), part, options);
    for (const [why, count] of skipped) say(`Cache ${cache.name}: left out ${count} ${why}`);
    if (files === 0) return say(`Cache ${cache.name}: nothing to store`);
    const header = { name: cache.name, key, size: sizeBytes, sha256, format: archiveFormat };
    let sent = 0;
    const send = () => {
      sent++;
      return sendEntry(header, part, { ...on, signal });
    };
    const { stored, storedSize } = await retry(signal, send, maxOutageMs);
    // The entry may have been stored before a response was lost.
    if (!stored && sent === 1) return say(`Cache ${cache.name}: another build has stored it`);
    await copies.keep(part, sha256);
    const sizes = `${filesText(files)}, ${roundedSize(sizeBytes)}, ${roundedSize(storedSize)} compressed`;
    say(`Cache ${cache.name}: stored ${sizes}, in ${secondsSince(startedAt)}`);
  } finally {
    await rm(part, { force: true });
    await copies.trim();
  }
}

interface Chosen {
  readonly key: string;
  readonly content: Content;
}

interface Saying {
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

export function cachesOf(on: Caching): BuildCaches {
  /** Caches that had no entry with their key. */
  const missing = new Map<AssignedCache, Chosen>();

  /** Prints a failure. Throws what ends the run. */
  async function attempt({ name }: AssignedCache, { say, signal }: Saying, work: () => Promise<unknown>) {
    try {
      await traced("cache", { attributes: { "ci.cache": name } }, work);
    } catch (error) {
      AbortSignal.any([signal, on.stop]).throwIfAborted();
      if (isConflict(error) || error instanceof Damaged) throw error;
      on.log.info({ err: error, cache: name }, "cache not used");
      say(`cache error: ${name}: ${reasonOf(error)}`);
    }
  }

  return {
    async restore(say, signal) {
      for (const cache of on.build.caches)
        await attempt(cache, { say, signal }, async () => {
          on.environment.trees.check?.(cache.paths);
          const content = contentOf(cache, on);
          const { key, files } = await keyOf(cache, placedIn(content), { environment: on.environment, signal });
          if (files === 0 && cache.key.length > 0)
            say(`Cache ${cache.name}: no file matches its key, ${cache.key.join(", ")}`);
          const chosen = { key, content };
          missing.set(cache, chosen);
          const { exact } = await restoreOne(cache, chosen, on, { say, signal }).catch((error) => {
            // What was placed before the disk was full must not be stored.
            if (error instanceof DiskFull) missing.delete(cache);
            throw error;
          });
          if (exact) missing.delete(cache);
        });
    },
    async store(say, signal) {
      if (on.build.cacheReadOnly) return;
      for (const [cache, chosen] of missing)
        await attempt(cache, { say, signal }, () => storeOne(cache, chosen, on, { say, signal }));
    },
  };
}
