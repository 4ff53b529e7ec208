import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { ThreadEnded, threads } from "@ci/kit/process/threads";
import { invalid } from "@ci/kit/rpc/fault";
import { fairly } from "@ci/kit/turns/fairly";
import { isBlank, type ManifestLimits, type Reading, readManifest } from "@ci/manifest/manifest";
import { LRUCache } from "lru-cache";

/** Longer manifests, and those that make more than they say, are read in threads: one of 1 MiB takes seconds. */
const maxInlineLength = fixedLimit({
  max: 8 * 1024,
  about: "characters of a manifest that is read without a separate thread",
  effect: "the manifest is read in a thread",
});
const maxMarks = fixedLimit({
  max: 1_000,
  about:
    "line breaks, commas, colons, `[`, `{`, and `-` or `?` before white space, in a manifest that is read without a separate thread",
  effect: "the manifest is read in a thread",
});
const maxThreads = fixedLimit({ max: 2, about: "threads that read manifests", effect: "further manifests wait" });
const refusalAt = (max: number | string) =>
  `Too many manifests at once, cannot exceed ${max} waiting per user; await a response before you send the next`;
const maxWaiting = fixedLimit({ max: 64, about: "long manifests of one user that wait", refusal: refusalAt("N") });
const refusal = refusalAt(maxWaiting);
const defaults = { taskMs: 15_000, idleMs: 60_000, heapMb: 256 };
const script = join(__dirname, "../../../dist/actions/manifest/manifest-thread.js");

export interface ManifestTask {
  readonly text: string;
  readonly limits: ManifestLimits;
  readonly asks: "reading" | "blank";
}

/** Reads manifests without blocking other calls. `userId` is the user whose turn a long one takes. */
interface ManifestReader {
  /** Reads and checks a manifest. Returns every complaint. */
  read(userId: number, text: string, limits: ManifestLimits): Promise<Reading>;
  /** Reports whether a manifest changes nothing in an update. */
  isBlank(userId: number, text: string, limits: ManifestLimits): Promise<boolean>;
}

const maxReadings = fixedLimit({
  max: 16 * 1024 ** 2,
  unit: "bytes",
  about: "cached readings of short manifests, by an estimate of what they hold",
  effect: "the least recently used ones are read again",
});

/** Freezes a result, because builds share it. Returns an estimate of the bytes that it holds. */
function freeze(value: unknown): number {
  if (typeof value === "string") return 16 + 2 * value.length;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return 0;
  Object.freeze(value);
  return Object.values(value).reduce<number>((sum, part) => sum + 8 + freeze(part), 32);
}

/** Returns a cached reader of short manifests: restarts, cron jobs and hooks submit the same ones repeatedly. */
function rememberingReader(): (text: string, limits: ManifestLimits) => Reading {
  const readings = new LRUCache<string, Reading>({ maxSize: maxReadings });
  return (text, limits) => {
    const key = `${JSON.stringify(limits)}${text}`;
    const known = readings.get(key);
    if (known) return known;
    const reading = readManifest(text, limits);
    readings.set(key, reading, { size: freeze(key) + freeze(reading) });
    return reading;
  };
}

/** May be an anchor, without which there is no alias, or the key `matrix`, also with escapes in it. */
const multiplies = /&[^ \t\r\n&,[\]{}]|\*&|matrix|\\[xuU\r\n]/;

/** What makes tokens and values. A dense text costs many times as much as an ordinary one. */
const marks = /[\n,:[{]|[-?](?=\s)/g;
const isDense = (text: string): boolean => (text.match(marks)?.length ?? 0) > maxMarks;

const isShort = (text: string, { maxBytes }: Pick<ManifestLimits, "maxBytes">) =>
  text.length > maxBytes || (text.length <= maxInlineLength && !multiplies.test(text) && !isDense(text));

/** Returns a reader with its own threads. A manifest that exceeds a thread's time or heap is invalid. */
export function manifestReader(options = defaults): ManifestReader {
  const inTurn = fairly<number>(maxThreads, maxWaiting, refusal);
  const inThread = threads((resourceLimits) => new Worker(script, { resourceLimits }), options);
  const readShort = rememberingReader();
  const run = (userId: number, task: ManifestTask) => inTurn(userId, () => inThread(task));

  const complaintOf = (error: unknown): string => {
    if (!(error instanceof ThreadEnded)) throw error;
    return `Manifest cannot take more than ${error.limit} to read; make it shorter`;
  };

  return {
    async read(userId, text, limits) {
      if (isShort(text, limits))
        return text.length <= maxInlineLength ? readShort(text, limits) : readManifest(text, limits);
      const reading = run(userId, { text, limits, asks: "reading" });
      return reading.catch((error) => ({ complaints: [{ message: complaintOf(error) }] })) as Promise<Reading>;
    },
    async isBlank(userId, text, limits) {
      if (isShort(text, limits)) return isBlank(text, limits.maxBytes);
      const blank = run(userId, { text, limits, asks: "blank" });
      return blank.catch((error) => {
        throw invalid({ manifest: [complaintOf(error)] });
      }) as Promise<boolean>;
    },
  };
}

export const manifests = manifestReader();
