import { setTimeout as delay } from "node:timers/promises";
import type Docker from "dockerode";
import { ignoreNotFound } from "./engine.js";

const attempts = 5;
const pauseMs = 200;

export const removeContainer = (container: Docker.Container): Promise<void> =>
  ignoreNotFound(container.remove({ force: true, v: true }));

/** A busy engine refuses a removal that it accepts a moment later. */
export async function persistently(remove: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return await remove();
    } catch (error) {
      if (attempt === attempts) throw error;
      await delay(pauseMs);
    }
}

/** Removes containers, then what they used. `network` learns whether they are all gone. */
export async function removeAll(what: {
  readonly containers: readonly Docker.Container[];
  readonly network: (empty: boolean) => Promise<void>;
  readonly volumes: readonly Docker.Volume[];
}): Promise<void> {
  const first = await Promise.allSettled(what.containers.map((one) => persistently(() => removeContainer(one))));
  const then = await Promise.allSettled([
    what.network(first.every(({ status }) => status === "fulfilled")),
    ...what.volumes.map((volume) => persistently(() => ignoreNotFound(volume.remove()))),
  ]);
  const failed = [...first, ...then].find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}
