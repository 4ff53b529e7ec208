import { flushTraces } from "./trace.js";

/** What a process runs until it is told to end. */
export interface Running extends AsyncDisposable {
  /**
   * Takes on nothing new and lets what has begun come to its end, while everything still works. Resolves when it may be
   * disposed of: in its own time, or soon after `hurry`.
   */
  drain(hurry: AbortSignal): Promise<void>;
}

/** Waits for the first SIGTERM or SIGINT. The second one is `hurry`; the third ends the process as it is. */
function told(): { readonly toEnd: Promise<void>; readonly hurry: AbortSignal } {
  const hurry = new AbortController();
  let times = 0;
  const toEnd = new Promise<void>((resolve) => {
    const hear = () => {
      times++;
      resolve();
      if (times === 2) hurry.abort();
      if (times > 2) process.exit(1);
    };
    process.on("SIGTERM", hear).on("SIGINT", hear);
  });
  return { toEnd, hurry: hurry.signal };
}

/**
 * The life of a process: start, wait for SIGTERM or SIGINT, drain, dispose, hand over traces, exit. A second signal cuts draining short.
 * A service that cannot start says why on standard error and exits with 1.
 */
export async function run(start: () => Promise<Running>): Promise<void> {
  try {
    const service = await start();
    const { toEnd, hurry } = told();
    await toEnd;
    await service.drain(hurry);
    await service[Symbol.asyncDispose]();
    await flushTraces();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
