import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { ThreadEnded, threads } from "@ci/kit/process/threads";
import { fairBytes } from "@ci/kit/turns/fair-bytes";
import { fairly } from "@ci/kit/turns/fairly";
import { type ReadReceived, type Received, readReceived, unread } from "./read-received.js";

const refusal = "Too many requests";
/** Longer bodies are read in threads: parsing cannot be interrupted, and 1 MiB may take 300 ms. */
const smallBytes = 64 * 1024;
const maxBytes = fixedLimit({
  max: 16 * 1024 ** 2,
  unit: "bytes",
  about: "hook bodies of more than 64 KiB that a process reads at a time, half of them at most of one user",
  effect: "further ones wait; users take turns",
});
const maxThreads = fixedLimit({
  max: 2,
  about: "threads that read hook bodies of more than 64 KiB",
  effect: "further ones wait; users take turns",
});
const maxWaiting = fixedLimit({
  max: 64,
  about: "hook bodies of more than 64 KiB that wait to be read, for the repositories of one user",
  refusal,
});
const maxWaitingBytes = fixedLimit({
  max: 16 * 1024 ** 2,
  unit: "bytes",
  about: "hook bodies of more than 64 KiB that wait to be read, for the repositories of one user, together",
  refusal,
});
const defaults = { taskMs: 15_000, idleMs: 60_000, heapMb: 128 };
const script = join(__dirname, "../../../dist/actions/hooks/payload-thread.js");

/** Threads share it, so it is copied once. */
function shared(body: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(body.length));
  copy.set(body);
  return copy;
}

/** Returns a reader with its own threads. A body that exceeds a thread's time or heap makes no build. */
export function receivedReader(options = defaults) {
  const inTurn = fairBytes<number>(maxBytes, maxWaiting, refusal, { leavesRoom: true, maxWaitingBytes });
  const onThread = fairly<number>(maxThreads, maxBytes / smallBytes, refusal);
  const inThread = threads((resourceLimits) => new Worker(script, { resourceLimits }), options);

  async function readInThread(received: Received): Promise<ReadReceived> {
    try {
      return (await inThread({ ...received, body: shared(received.body) })) as ReadReceived;
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error;
      return unread(received, `the payload takes more than ${error.limit} to read`);
    }
  }

  /** Reads a request for a user's repository: a long one in the user's turn, when there is room in the heap for its values. */
  return (userId: number, received: Received): Promise<ReadReceived> => {
    const { length } = received.body;
    if (length <= smallBytes) return readReceived(received);
    return inTurn(userId, length, () => onThread(userId, () => readInThread(received)));
  };
}

export const readInTurn = receivedReader();
