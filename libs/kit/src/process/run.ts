import { setFlagsFromString } from "node:v8";
import { stopSignals } from "./stop-signals.js";
import { flushTraces } from "./trace.js";

export interface Running extends AsyncDisposable {
  /** Accepts no new work and finishes what has begun; ends early at `hurry`. Dispose afterwards. */
  drain(hurry: AbortSignal): Promise<void>;
}

/** V8 would collect a heap of some 35 MB after each further 20 MB of objects and buffers. Large bodies then take two to three times as long. */
const letHeapDouble = () => setFlagsFromString("--heap-growing-percent=100");

/** Runs a process until a signal. If it cannot start, it says why on standard error and exits with 1. */
export async function run(start: () => Promise<Running>): Promise<void> {
  letHeapDouble();
  const { toEnd, hurry } = stopSignals;
  try {
    const service = await Promise.race([start(), toEnd]);
    await toEnd;
    await service?.drain(hurry);
    await service?.[Symbol.asyncDispose]();
    await flushTraces();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
