import { setTimeout as delay } from "node:timers/promises";
import type Docker from "dockerode";
import { HostTrouble } from "../../endings/errors.js";
import { EngineRefusal, ignoreNotFound, wordsOf } from "./engine.js";

const attempts = 5;
const pauseMs = 200;

export const removeContainer = (container: Docker.Container): Promise<void> =>
  ignoreNotFound(container.remove({ force: true, v: true }));

const isStillThere = (error: unknown): boolean =>
  error instanceof HostTrouble ||
  (error instanceof EngineRefusal && /^removal of container \S+ is already in progress/.test(wordsOf(error.cause)));

/** A busy engine refuses a removal that it accepts a moment later. For one that is away, retries while `mayWait` returns true. */
export async function persistently(remove: () => Promise<void>, mayWait = () => false): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return await remove();
    } catch (error) {
      if (attempt >= attempts && !(isStillThere(error) && mayWait())) throw error;
      await delay(pauseMs);
    }
}

/** Removes containers, then what they used. `network` learns whether they are all gone. */
export async function removeAll(what: {
  readonly containers: readonly Docker.Container[];
  readonly network: (empty: boolean) => Promise<void>;
  readonly volumes: readonly Docker.Volume[];
  /** Reports whether the containers' removal may wait for an engine that is away. */
  readonly mayWait?: () => boolean;
}): Promise<void> {
  const removeFirst = (one: Docker.Container) => persistently(() => removeContainer(one), what.mayWait);
  const first = await Promise.allSettled(what.containers.map(removeFirst));
  const then = await Promise.allSettled([
    what.network(first.every(({ status }) => status === "fulfilled")),
    ...what.volumes.map((volume) => persistently(() => ignoreNotFound(volume.remove()))),
  ]);
  const failed = [...first, ...then].find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}
