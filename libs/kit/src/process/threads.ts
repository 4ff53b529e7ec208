import type { ResourceLimits, Worker } from "node:worker_threads";

/** A task took too long or too much memory. Its thread is gone; those of other tasks are not. */
export class ThreadEnded extends Error {
  /** `limit`: the time or memory that was not enough, such as `15 s`. */
  constructor(readonly limit: string) {
    super(`A thread exceeded ${limit}`);
  }
}

interface ThreadOptions {
  readonly taskMs: number;
  /** How long a thread without work is kept. */
  readonly idleMs: number;
  readonly heapMb: number;
}

interface Thread {
  readonly hasEnded: boolean;
  run(task: unknown): Promise<unknown>;
  end(): void;
}

const outOfMemory = ({ code }: NodeJS.ErrnoException): boolean => code === "ERR_WORKER_OUT_OF_MEMORY";

/** Wraps a worker that answers each message with one. After a failure it is of no further use. */
function threadOf(worker: Worker, { taskMs, heapMb }: ThreadOptions): Thread {
  let settle: ((result: { value: unknown } | { error: Error }) => void) | undefined;
  worker.on("message", (value) => settle?.({ value }));
  worker.on("error", (error) => settle?.({ error: outOfMemory(error) ? new ThreadEnded(`${heapMb} MiB`) : error }));
  let hasEnded = false;
  worker.on("exit", () => {
    hasEnded = true;
    settle?.({ error: new Error("A thread ended") });
  });
  const end = () => void worker.terminate();

  return {
    end,
    get hasEnded() {
      return hasEnded;
    },
    run: (task) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => settle?.({ error: new ThreadEnded(`${taskMs / 1_000} s`) }), taskMs);
        settle = (result) => {
          settle = undefined;
          clearTimeout(timer);
          worker.unref();
          if ("value" in result) return resolve(result.value);
          end();
          reject(result.error);
        };
        worker.ref();
        worker.postMessage(task);
      }),
  };
}

/**
 * Returns a function that runs a task in a thread: one that is idle, or a new one. `start` starts a worker that answers
 * each message with one. The caller limits how many tasks run at once.
 */
export function threads(
  start: (resourceLimits: ResourceLimits) => Worker,
  options: ThreadOptions,
): (task: unknown) => Promise<unknown> {
  const idle = new Map<Thread, NodeJS.Timeout>();

  function take(): Thread {
    for (const [latest, timer] of [...idle].reverse()) {
      clearTimeout(timer);
      idle.delete(latest);
      if (!latest.hasEnded) return latest;
    }
    return threadOf(start({ maxOldGenerationSizeMb: options.heapMb }), options);
  }

  function keep(thread: Thread): void {
    const end = () => {
      idle.delete(thread);
      thread.end();
    };
    idle.set(thread, setTimeout(end, options.idleMs).unref());
  }

  return async (task) => {
    const thread = take();
    const result = await thread.run(task);
    keep(thread);
    return result;
  };
}
