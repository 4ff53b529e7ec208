import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type Docker from "dockerode";
import { engineCall } from "../engine.js";

/** Pauses a container after a while, unless its build comes first. */
export interface Pause extends Disposable {
  /** Resolves if the container cannot be paused. */
  readonly failed: Promise<unknown>;
  /** Lets the container run from now on. */
  end(): Promise<void>;
}

const maxRunMs = fixedLimit({
  max: 1_000,
  unit: "ms",
  about: "how long a container that waits for a build may run its image's shell",
  effect: "the container is paused until its build comes",
});

/** Docker starts a program for a pause and another for its end, so a container that is taken soon has neither. */
export function pauseSoon(container: Docker.Container, afterMs = maxRunMs): Pause {
  let paused: Promise<boolean> | undefined;
  let fail: (error: unknown) => void;
  const failed = new Promise((resolve) => {
    fail = resolve;
  });
  const timer = setTimeout(() => {
    paused = container.pause().then(
      () => true,
      async (error) => {
        // The engine may have done it.
        await container.unpause().catch(() => undefined);
        fail(error);
        return false;
      },
    );
  }, afterMs).unref();
  /** A short job can end while the engine pauses its container. */
  const unlessItRuns = async (error: unknown) => {
    const { State } = await engineCall(container.inspect());
    if (State.Paused) throw error;
  };
  return {
    failed,
    async end() {
      clearTimeout(timer);
      if (await paused) await engineCall(container.unpause()).catch(unlessItRuns);
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
