import type { Context } from "../context.js";

/** Makes the service wait for a task before it stops. The task must not fail. */
export function ownTask({ tasks }: Pick<Context, "tasks">, task: Promise<void>): Promise<void> {
  const running = task.finally(() => tasks.delete(running));
  tasks.add(running);
  return running;
}
