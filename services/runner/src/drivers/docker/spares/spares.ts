import { finished } from "node:stream";
import type { Log } from "@ci/kit/process/log";
import { type Mark, nobody } from "../../../driver.js";
import {
  makeSpare,
  NotReady,
  newSpareName,
  removeSpare,
  type Spare,
  type SpareKind,
  type SpareOptions,
} from "./spare.js";

/** Containers that were started before their builds came. Each serves one build. */
export interface Spares {
  /** Reports whether a container waits for builds with this workspace. */
  mayServe(workspace: string): boolean;
  /** Takes a container for a build, possibly still starting. Undefined if there is none. */
  take(kind: SpareKind, mark: Mark): Promise<Spare | undefined>;
  /** Lets containers wait for further builds of this kind. */
  prepare(kind: SpareKind): void;
  /** The build that took this container is gone, and the container with it. */
  ended(spare: Spare): void;
  /** Returns the build that uses a spare; undefined if it waits, `nobody` if that is not known any more. */
  userOf(name: string | undefined, labelled: Mark): Mark | undefined;
  close(): Promise<void>;
}

interface SparesOptions extends SpareOptions {
  readonly max: number;
  readonly keepMs: number;
  readonly log: Log;
}

interface Waiting {
  readonly name: string;
  readonly key: string;
  readonly workspace: string;
  /** Undefined if the engine could not start it, or it has ended. */
  readonly made: Promise<Spare | undefined>;
  readonly timer: NodeJS.Timeout;
  readonly stop: AbortController;
}

/** After a failure the engine, or the image that caused it, is left alone for this long. */
const restMs = 60_000;

/** Containers with the same key are interchangeable. */
const keyOf = ({ order, imageId, limits: { cpus, seccomp } }: SpareKind): string =>
  JSON.stringify([imageId, order.workspace, cpus, seccomp]);

interface Outcomes {
  readonly ended: () => void;
  readonly failed: (error: unknown) => void;
}

/** Reports when a container is of no use any more, if it still waits then. */
function watchUse({ made }: Waiting, waits: () => boolean, { ended, failed }: Outcomes): void {
  void made.then(async (spare) => {
    if (spare) finished(spare.output, { readable: false }, () => waits() && ended());
    const cause = await spare?.pause.failed;
    if (cause !== undefined && waits()) failed(new NotReady("The container cannot be paused", { cause }));
  });
}

function userIn(users: ReadonlyMap<string, Mark | undefined>, name: string | undefined, labelled: Mark) {
  if (name === undefined) return labelled;
  return users.has(name) ? users.get(name) : { ...labelled, buildId: nobody };
}

function newRests() {
  let ofEngine = 0;
  const ofImages = new Map<string, number>();
  return {
    begin(key: string, error: unknown): void {
      const now = performance.now();
      if (error instanceof NotReady) ofImages.set(key, now + restMs);
      else ofEngine = now + restMs;
      for (const [one, until] of ofImages) if (until < now) ofImages.delete(one);
    },
    has: (key: string): boolean => performance.now() < Math.max(ofEngine, ofImages.get(key) ?? 0),
  };
}

export function spareContainers({ max, keepMs, log, ...options }: SparesOptions): Spares {
  let waiting: Waiting[] = [];
  const users = new Map<string, Mark | undefined>();
  const leaving = new Set<Promise<void>>();
  let lastKey: string | undefined;
  const rests = newRests();
  let closed = false;

  function leave(one: Waiting): void {
    clearTimeout(one.timer);
    waiting = waiting.filter((other) => other !== one);
  }

  function discard(one: Waiting): void {
    leave(one);
    one.stop.abort();
    const removed = one.made
      .then((spare) => spare && removeSpare(options, spare))
      .catch((err) => log.warn({ err }, "waiting container not removed; the next sweep will retry it"))
      .finally(() => users.delete(one.name))
      .finally(() => leaving.delete(removed));
    leaving.add(removed);
  }

  function begin(kind: SpareKind, key: string): void {
    const name = newSpareName();
    users.set(name, undefined);
    const stop = new AbortController();
    const giveUp = (err: unknown): undefined => {
      if (err !== stop.signal.reason) log.info({ err }, "no container waits for builds; they start their own");
      if (stop.signal.aborted) return;
      rests.begin(key, err);
      discard(one);
    };
    const made = makeSpare(options, { name, kind, signal: stop.signal }).catch(giveUp);
    const timer = setTimeout(() => discard(one), keepMs).unref();
    const one: Waiting = { name, key, workspace: kind.order.workspace, made, timer, stop };
    waiting.push(one);
    watchUse(one, () => waiting.includes(one), { ended: () => discard(one), failed: giveUp });
  }

  return {
    mayServe: (workspace) => waiting.some((one) => one.workspace === workspace),
    async take(kind, mark) {
      const key = keyOf(kind);
      const one = waiting.find((other) => other.key === key);
      if (!one) return undefined;
      leave(one);
      users.set(one.name, mark);
      const spare = await one.made;
      if (spare?.output.writable === false) discard(one);
      if (!spare?.output.writable) return undefined;
      options.networks.use(spare.network, mark);
      return spare;
    },
    prepare(kind) {
      const key = keyOf(kind);
      const isRepeated = key === lastKey;
      lastKey = key;
      if (closed || rests.has(key)) return;
      const others = waiting.filter((one) => one.key !== key);
      // Builds of different images in turn must not replace each other's containers.
      if (isRepeated) for (const one of others.slice(0, Math.max(0, waiting.length + 1 - max))) discard(one);
      while (waiting.length < max) {
        begin(kind, key);
        if (!isRepeated) return;
      }
    },
    ended(spare) {
      spare.deaths[Symbol.dispose]();
      users.delete(spare.name);
    },
    userOf: (name, labelled) => userIn(users, name, labelled),
    async close() {
      closed = true;
      for (const one of waiting) discard(one);
      await Promise.all(leaving);
    },
  };
}
