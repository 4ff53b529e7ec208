import type { Mark } from "../../driver.js";
import { maxTimerMs, raceAbort } from "../../endings/ended.js";
import type { HeldImage } from "./cache.js";
import type { Guest } from "./guest.js";
import { checkResponsive, startWarmMachine, type WarmMachine, type WarmMachineOptions } from "./warm-machine.js";

export interface Taken {
  readonly guest: Guest;
  end(): Promise<void>;
}

/** Booted machines that wait for builds. Each serves one build. */
export interface Pool {
  /** Takes a machine with this image, possibly still starting. Undefined if none responds. */
  take(image: HeldImage, mark: Mark, signal: AbortSignal): Promise<Taken | undefined>;
  used(image: HeldImage, by: Mark): void;
  /** Starts no machines until disposed, so that a build being prepared comes first. */
  preparing(): Disposable;
  /** Ends the machines of the least recently used image; false if there are none. */
  giveWay(): Promise<boolean>;
  ready(): number;
  /** Ends all waiting machines and starts no more. */
  close(): Promise<void>;
}

interface PoolOptions extends WarmMachineOptions {
  readonly perImage: number;
  /** Includes machines that are starting or ending. */
  readonly maxMachines: number;
  /** Machines of an image end when no build has used it for this long. */
  readonly keepMs: number;
  readonly answerMs?: number | undefined;
}

interface Known extends Pick<HeldImage, "identity" | "again">, Pick<Mark, "installation"> {
  readonly usedAt: number;
}

function places() {
  const waiting = new Set<WarmMachine>();
  const leaving = new Set<Promise<void>>();
  return {
    add: (one: WarmMachine) => void waiting.add(one),
    has: (one: WarmMachine) => waiting.has(one),
    /** The caller has to end it. */
    remove: (one: WarmMachine) => waiting.delete(one),
    all: () => [...waiting],
    of: (identity: string) => [...waiting].filter((one) => one.identity === identity),
    taken: () => waiting.size + leaving.size,
    leaving: () => Promise.all(leaving),
    end(one: WarmMachine, onGone: () => void): void {
      if (!waiting.delete(one)) return;
      const left = one.end().finally(() => {
        leaving.delete(left);
        onGone();
      });
      leaving.add(left);
    },
  };
}

/** The images that builds have used lately. An image that was not used for `keepMs` is passed to `onExpired`. */
function usedImages(keepMs: number, onExpired: (identity: string) => void) {
  /** Least recently used first. */
  const images = new Map<string, Known>();
  let timer: NodeJS.Timeout | undefined;

  function expire(): void {
    clearTimeout(timer);
    const now = performance.now();
    for (const { identity, usedAt } of [...images.values()]) if (usedAt + keepMs <= now) onExpired(identity);
    const [next] = images.values();
    if (next) timer = setTimeout(expire, Math.min(Math.max(1, next.usedAt + keepMs - now), maxTimerMs)).unref();
  }

  return {
    used(image: Omit<Known, "usedAt">): void {
      images.delete(image.identity);
      images.set(image.identity, { ...image, usedAt: performance.now() });
      expire();
    },
    delete: (identity: string) => images.delete(identity),
    latestFirst: () => [...images.values()].reverse(),
    identities: () => [...images.keys()],
    close: () => clearTimeout(timer),
  };
}

/** Decides which machines wait: those of the images used last. */
function balancer({ perImage, maxMachines, keepMs, ...options }: PoolOptions, machines: ReturnType<typeof places>) {
  const images = usedImages(keepMs, forget);
  let preparing = 0;
  let closed = false;

  function forget(identity: string): void {
    images.delete(identity);
    for (const one of machines.of(identity)) machines.end(one, balance);
  }

  /** Drops images beyond the limit. Returns the last used image that needs another machine. */
  function lacking(): Known | undefined {
    let left = maxMachines;
    let found: Known | undefined;
    for (const image of images.latestFirst()) {
      const share = Math.min(perImage, left);
      const have = machines.of(image.identity);
      left -= share;
      if (share === 0) images.delete(image.identity);
      for (const one of have.slice(share)) machines.end(one, balance);
      if (have.length < share) found ??= image;
    }
    return found;
  }

  /** Starts a missing machine, one at a time and only while no build is being prepared. */
  function balance(): void {
    const next = lacking();
    const starting = machines.all().some(({ ready }) => !ready());
    if (next && !closed && !starting && preparing === 0 && machines.taken() < maxMachines) begin(next);
  }

  /** An image whose machine fails gets none until a build uses it again. */
  function begin(image: Known): void {
    const one = startWarmMachine(image, options);
    machines.add(one);
    const failed = (error?: unknown) => {
      if (!machines.has(one)) return;
      options.log.warn({ err: error }, "a waiting virtual machine has ended");
      forget(image.identity);
    };
    one.guest.then(({ machine }) => {
      machine.ended.then(() => failed(), failed);
      balance();
    }, failed);
  }

  return {
    used({ identity, again }: HeldImage, { installation }: Mark): void {
      if (maxMachines === 0 || closed) return;
      images.used({ identity, again, installation });
      balance();
    },
    preparing(): Disposable {
      preparing++;
      return {
        [Symbol.dispose]() {
          preparing--;
          balance();
        },
      };
    },
    async giveWay(): Promise<boolean> {
      const unused = images.identities().find((identity) => machines.of(identity).length > 0);
      if (unused !== undefined) forget(unused);
      const some = unused !== undefined;
      await machines.leaving();
      return some;
    },
    async close(): Promise<void> {
      closed = true;
      images.close();
      for (const one of machines.all()) machines.end(one, balance);
      await machines.leaving();
    },
  };
}

export function openPool(options: PoolOptions): Pool {
  const machines = places();
  return {
    ...balancer(options, machines),
    async take({ identity }, mark, signal) {
      const all = machines.of(identity);
      const one = all.find(({ ready }) => ready()) ?? all[0];
      if (!one) return undefined;
      machines.remove(one);
      one.belongsTo(mark);
      try {
        const guest = await raceAbort(signal, one.guest);
        await checkResponsive(guest, signal, options.answerMs);
        return { guest, end: one.end };
      } catch (error) {
        await one.end();
        signal.throwIfAborted();
        options.log.warn({ err: error, ...mark }, "a waiting virtual machine does not respond");
        return undefined;
      }
    },
    ready: () => machines.all().filter(({ ready }) => ready()).length,
  };
}
