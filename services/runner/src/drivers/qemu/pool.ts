import type { Mark } from "../../driver.js";
import { maxTimerMs, raceAbort } from "../../work/ended.js";
import type { HeldImage } from "./cache.js";
import type { Guest } from "./guest.js";
import { checkResponsive, startWarmMachine, type WarmMachine, type WarmMachineOptions } from "./warm-machine.js";

/** A machine that a build has got. */
export interface Taken {
  readonly guest: Guest;
  /** Ends it and removes all of it. */
  end(): Promise<void>;
}

/** Booted machines that wait for builds; each is for one build, and gone after that. */
export interface Pool {
  /** A machine with this image, one that is still being started if need be. Nothing if there is none that answers. */
  take(image: HeldImage, mark: Mark, signal: AbortSignal): Promise<Taken | undefined>;
  /** A build has begun with this image: machines with it are worth having. */
  used(image: HeldImage, by: Mark): void;
  /** Until it is disposed no machine is started: a build that is being prepared comes first. */
  preparing(): Disposable;
  /** Ends the machines of the image that was not used for longest, and waits for that; false if there are none. */
  giveWay(): Promise<boolean>;
  /** How many machines wait that can be taken at once. */
  ready(): number;
  /** Ends what waits; resolves when all of it is gone, and nothing comes after it. */
  close(): Promise<void>;
}

export interface PoolOptions extends WarmMachineOptions {
  /** How many machines are to wait for builds with the same image. */
  readonly perImage: number;
  /** How many wait in all, those included that are being started or ended. */
  readonly maxMachines: number;
  /** An image that was not used for so long gives its machines up. */
  readonly keepMs: number;
}

/** An image that a build has used. */
interface Known extends Pick<HeldImage, "identity" | "again">, Pick<Mark, "installation"> {
  readonly usedAt: number;
}

/** The machines that wait and those that are being removed. */
function places() {
  const waiting = new Set<WarmMachine>();
  const leaving = new Set<Promise<void>>();
  return {
    add: (one: WarmMachine) => void waiting.add(one),
    has: (one: WarmMachine) => waiting.has(one),
    /** Whoever has asked for it has to end it. */
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

/** Decides which machines wait: keeps them for the images used last. */
function balancer({ perImage, maxMachines, keepMs, ...options }: PoolOptions, machines: ReturnType<typeof places>) {
  /** Longest unused first. */
  const images = new Map<string, Known>();
  let preparing = 0;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  function forget(identity: string): void {
    images.delete(identity);
    for (const one of machines.of(identity)) machines.end(one, balance);
  }

  /** Forgets images beyond the limit; answers the one used last that has fewer machines than it is to have. */
  function lacking(): Known | undefined {
    let left = maxMachines;
    let found: Known | undefined;
    for (const image of [...images.values()].reverse()) {
      const share = Math.min(perImage, left);
      const have = machines.of(image.identity);
      left -= share;
      if (share === 0) images.delete(image.identity);
      for (const one of have.slice(share)) machines.end(one, balance);
      if (have.length < share) found ??= image;
    }
    return found;
  }

  /** Starts a machine if one is lacking and it is in nobody's way: one at a time. */
  function balance(): void {
    const next = lacking();
    const starting = machines.all().some(({ ready }) => !ready());
    if (next && !closed && !starting && preparing === 0 && machines.taken() < maxMachines) begin(next);
  }

  /** An image whose machine does not start or dies gets none until a build has used it again. */
  function begin(image: Known): void {
    const one = startWarmMachine(image, options);
    machines.add(one);
    const failed = (error?: unknown) => {
      if (!machines.has(one)) return;
      options.log.warn({ err: error }, "a virtual machine that was to wait has ended");
      forget(image.identity);
    };
    one.guest.then(({ machine }) => {
      machine.ended.then(() => failed(), failed);
      balance();
    }, failed);
  }

  /** Forgets what was not used for long, and looks again when that may be so of the next. */
  function expire(): void {
    clearTimeout(timer);
    const now = performance.now();
    for (const { identity, usedAt } of [...images.values()]) if (usedAt + keepMs <= now) forget(identity);
    const [next] = images.values();
    if (next) timer = setTimeout(expire, Math.min(Math.max(1, next.usedAt + keepMs - now), maxTimerMs)).unref();
  }

  return {
    used({ identity, again }: HeldImage, { installation }: Mark): void {
      if (maxMachines === 0 || closed) return;
      images.delete(identity);
      images.set(identity, { identity, again, installation, usedAt: performance.now() });
      expire();
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
      const unused = [...images.keys()].find((identity) => machines.of(identity).length > 0);
      if (unused !== undefined) forget(unused);
      const some = unused !== undefined;
      await machines.leaving();
      return some;
    },
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      for (const one of machines.all()) machines.end(one, balance);
      await machines.leaving();
    },
  };
}

/** Opens a pool. It learns from builds which images are used. */
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
        await checkResponsive(guest, signal);
        return { guest, end: one.end };
      } catch (error) {
        await one.end();
        signal.throwIfAborted();
        options.log.warn({ err: error, ...mark }, "a virtual machine that was waiting does not answer");
        return undefined;
      }
    },
    ready: () => machines.all().filter(({ ready }) => ready()).length,
  };
}
