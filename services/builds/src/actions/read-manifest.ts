import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { limited } from "@ci/kit/process/limited";
import { isBlank, type ManifestLimits, type Reading, readManifest } from "@ci/manifest/manifest";

/** Longer manifests are read in a thread of their own: one of 1 MiB takes seconds. */
const maxInlineLength = 8 * 1024;
const maxThreads = 2;
const resourceLimits = { maxOldGenerationSizeMb: 256 };
const script = join(__dirname, "../../dist/actions/manifest-thread.js");

export interface ManifestTask {
  readonly text: string;
  readonly limits: ManifestLimits;
  readonly asks: "reading" | "blank";
}

const inTurn = limited(maxThreads);

const inThread = <T>(task: ManifestTask): Promise<T> =>
  inTurn(
    () =>
      new Promise<T>((resolve, reject) => {
        const worker = new Worker(script, { workerData: task, resourceLimits });
        worker.once("message", resolve);
        worker.once("error", reject);
        worker.once("exit", () => reject(new Error("the thread that reads manifests ended")));
      }),
  );

const isShort = (text: string, { maxBytes }: Pick<ManifestLimits, "maxBytes">) =>
  text.length <= maxInlineLength || text.length > maxBytes;

/** Reads and checks a manifest without holding up other calls. Returns every complaint. */
export const readManifestAside = async (text: string, limits: ManifestLimits): Promise<Reading> =>
  isShort(text, limits) ? readManifest(text, limits) : inThread({ text, limits, asks: "reading" });

/** Reports whether a manifest changes nothing in an update, without holding up other calls. */
export const isBlankAside = async (text: string, limits: ManifestLimits): Promise<boolean> =>
  isShort(text, limits) ? isBlank(text, limits.maxBytes) : inThread({ text, limits, asks: "blank" });
