import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Context } from "../context.js";
import { ownTask } from "./own-task.js";

const maxAtOnce = 4;

const maxWaiting = fixedLimit({
  max: 100_000,
  about: "contents of requeued builds that a process is about to delete",
  effect: "the hourly sweep deletes the others",
});

/** Returns a function that deletes released contents in the background. The sweep deletes what is left when this stops. */
export function discarding({ contents, tasks, signal }: Pick<Context, "contents" | "tasks" | "signal">) {
  const waiting: string[] = [];
  let running = 0;

  async function discardAll(): Promise<void> {
    for (let next = waiting.pop(); next !== undefined && !signal.aborted; next = waiting.pop())
      await contents.delete(next).catch(() => undefined);
  }

  return (blobIds: readonly string[]): void => {
    for (const blobId of blobIds.slice(0, maxWaiting - waiting.length)) waiting.push(blobId);
    while (running < Math.min(maxAtOnce, waiting.length)) {
      running++;
      const task = discardAll().finally(() => void running--);
      ownTask({ tasks }, task);
    }
  };
}
