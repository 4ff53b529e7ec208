import type { Context } from "../context.js";

/** Makes the service wait for a task before it stops. The task must not fail. */
export function ownTask({ advancing }: Pick<Context, "advancing">, task: Promise<void>): Promise<void> {
  const running = task.finally(() => advancing.delete(running));
  advancing.add(running);
  return running;
}
