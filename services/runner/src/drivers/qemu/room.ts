import { opendir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault } from "@ci/kit/rpc/fault";
import { raceAbort } from "../../endings/ended.js";

export interface Room {
  /** Reserves space, removing the least recently used files. Waits until there is enough. */
  reserve(sizeBytes: number, signal: AbortSignal): Promise<Disposable>;
  /** Removes unused files, least recently used first, while `isShort` holds. */
  shed(isShort: () => Promise<boolean>): Promise<void>;
  changed(): void;
}

interface RoomOptions {
  readonly folder: string;
  readonly limitBytes: number;
  readonly isHeld: (name: string) => boolean;
  /** Frees a file that is held for convenience; false if there is none. */
  readonly giveWay?: () => Promise<boolean>;
}

interface Kept {
  readonly name: string;
  readonly sizeBytes: number;
  readonly usedAt: number;
}

const maxImages = fixedLimit({
  max: 1_000,
  about: "images in the image cache on a runner's host",
  effect: "the image that was not used for the longest time is deleted",
});

const isImage = (name: string) => /^[0-9a-f]{64}$/.test(name);

/** Excludes unfinished files: their space is reserved. */
async function keptIn(folder: string): Promise<Kept[]> {
  const found: Kept[] = [];
  for await (const { name } of await opendir(folder)) {
    const stats = isImage(name) ? await stat(join(folder, name)).catch(() => undefined) : undefined;
    if (stats) found.push({ name, sizeBytes: stats.size, usedAt: stats.mtimeMs });
  }
  return found.sort((a, b) => a.usedAt - b.usedAt);
}

export function roomIn({ folder, limitBytes, isHeld, giveWay }: RoomOptions): Room {
  let reservedBytes = 0;
  let queue: Promise<unknown> = Promise.resolve();
  let wake = () => {};
  let change = new Promise<void>((resolve) => {
    wake = resolve;
  });

  function changed(): void {
    wake();
    change = new Promise<void>((resolve) => {
      wake = resolve;
    });
  }

  async function fits(sizeBytes: number): Promise<boolean> {
    const kept = await keptIn(folder);
    let takenBytes = kept.reduce((sum, one) => sum + one.sizeBytes, reservedBytes);
    let left = kept.length;
    const isEnough = () => takenBytes + sizeBytes <= limitBytes && left < maxImages;
    for (const one of kept) {
      if (isEnough()) break;
      if (isHeld(one.name)) continue;
      await rm(join(folder, one.name), { force: true });
      takenBytes -= one.sizeBytes;
      left--;
    }
    return isEnough();
  }

  async function take(sizeBytes: number, signal: AbortSignal): Promise<Disposable> {
    for (;;) {
      signal.throwIfAborted();
      const next = change;
      if (await fits(sizeBytes)) break;
      if (await giveWay?.()) continue;
      await raceAbort(signal, next);
    }
    reservedBytes += sizeBytes;
    return {
      [Symbol.dispose]() {
        reservedBytes -= sizeBytes;
        changed();
      },
    };
  }

  return {
    changed,
    async shed(isShort) {
      for (const { name } of await keptIn(folder)) {
        if (!(await isShort())) return;
        if (!isHeld(name)) await rm(join(folder, name), { force: true });
      }
    },
    async reserve(sizeBytes, signal) {
      if (sizeBytes > limitBytes) throw new Fault("precondition", "The image is larger than this runner's cache");
      const taken = queue.then(() => take(sizeBytes, signal));
      queue = taken.catch(() => undefined);
      return taken;
    },
  };
}
