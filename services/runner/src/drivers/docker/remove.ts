import { setTimeout as delay } from "node:timers/promises";
import type Docker from "dockerode";
import { gone } from "./engine.js";

const attempts = 5;
const pauseMs = 200;

/** Removes a container, running or not, and the volumes that its image has asked for. */
export const removeContainer = (container: Docker.Container): Promise<void> =>
  gone(container.remove({ force: true, v: true }));

/** An engine may still be busy with what it was told before: then it refuses, and a moment later it does not. */
async function persistently(remove: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return await remove();
    } catch (error) {
      if (attempt === attempts) throw error;
      await delay(pauseMs);
    }
}

/** Removes everything of a build, in the order that the engine wants; answers what went wrong. */
export async function removeAll(what: {
  readonly containers: readonly Docker.Container[];
  readonly network: Docker.Network;
  readonly volume: Docker.Volume;
}): Promise<unknown[]> {
  const failed: unknown[] = [];
  const note = (error: unknown) => {
    failed.push(error);
  };
  await Promise.all(what.containers.map((one) => persistently(() => removeContainer(one)).catch(note)));
  await Promise.all([
    persistently(() => gone(what.network.remove())).catch(note),
    persistently(() => gone(what.volume.remove())).catch(note),
  ]);
  return failed;
}
