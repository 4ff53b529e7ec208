import type { Log } from "@ci/kit/process/log";
import type Docker from "dockerode";
import type { Mark } from "../../../driver.js";
import { engineCall, engineError, ignoreNotFound, inBody, statusOf } from "../engine.js";
import { persistently } from "../remove.js";
import { type NetworkPlan, networkOf } from "./network.js";

export interface BuildNetwork {
  readonly name: string;
  /** Resolves when the engine has made it. */
  readonly made: Promise<unknown>;
}

/** Networks of builds. One build at a time uses a network: the next one gets it when no container is in it any more. */
export interface Networks {
  /** Takes a waiting network, or makes this one. Without a mark, it waits with its container for a build. */
  take(plan: NetworkPlan, mark: Mark | undefined): Promise<BuildNetwork>;
  /** Gives a network that was taken to a build. */
  use(network: BuildNetwork, mark: Mark): void;
  /** Takes a network back. Unless it is `empty`, it is removed. */
  giveBack(network: BuildNetwork, empty: boolean): Promise<void>;
  /** Returns the build that uses a network; undefined if it waits. An unknown network belongs to the build of its label. */
  userOf(name: string, labelled: Mark): Mark | undefined;
  /** Removes the networks that wait, and from now on those that are given back. */
  close(): Promise<void>;
}

interface NetworksOptions {
  readonly engine: Docker;
  /** Networks that wait longer for a build are removed; 0 for those of ended builds at once. */
  readonly keepMs: number;
  readonly log: Log;
}

export function buildNetworks({ engine, keepMs, log }: NetworksOptions): Networks {
  /** The builds that use the networks of this process; undefined while they wait. */
  const users = new Map<string, Mark | undefined>();
  /** The timers of those that wait, the newest last. */
  const waiting = new Map<string, NodeJS.Timeout>();
  let closed = false;

  /** What cannot be removed is left to the sweep. */
  async function remove(name: string): Promise<void> {
    try {
      await persistently(() => ignoreNotFound(engine.getNetwork(name).remove()));
    } finally {
      users.delete(name);
    }
  }

  const isOver = (name: string) =>
    remove(name).catch((err) => log.warn({ err, network: name }, "network not removed; the next sweep will retry it"));

  function stopWaiting(name: string): void {
    clearTimeout(waiting.get(name));
    waiting.delete(name);
  }

  /** Something else than a build may have removed a network that waited, or may use it. */
  async function isEmpty(name: string): Promise<boolean> {
    try {
      const { Containers: containers } = await engine.getNetwork(name).inspect();
      return Object.keys(containers ?? {}).length === 0;
    } catch (error) {
      if (statusOf(error) === 404) return false;
      throw engineError(error);
    }
  }

  return {
    async take(plan, mark) {
      for (let name = [...waiting.keys()].at(-1); name !== undefined; name = [...waiting.keys()].at(-1)) {
        stopWaiting(name);
        users.set(name, mark);
        let isOurs = false;
        try {
          isOurs = await isEmpty(name);
        } finally {
          if (!isOurs) users.delete(name);
        }
        if (isOurs) return { name, made: Promise.resolve() };
      }
      users.set(plan.name, mark);
      return { name: plan.name, made: engineCall(engine.createNetwork(inBody(networkOf(plan)))) };
    },
    async giveBack({ name, made }, empty) {
      const isMade = await made.then(
        () => true,
        () => false,
      );
      if (!isMade || !empty || closed || keepMs === 0) return remove(name);
      users.set(name, undefined);
      const onLate = () => {
        waiting.delete(name);
        void isOver(name);
      };
      waiting.set(name, setTimeout(onLate, keepMs).unref());
    },
    use: ({ name }, mark) => void users.set(name, mark),
    userOf: (name, labelled) => (users.has(name) ? users.get(name) : labelled),
    async close() {
      closed = true;
      const names = [...waiting.keys()];
      for (const name of names) stopWaiting(name);
      await Promise.all(names.map(isOver));
    },
  };
}
