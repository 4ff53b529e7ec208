import { once } from "node:events";
import type { ServerResponse } from "node:http";

/** Writes a piece of an answer and waits until the client keeps up: a slow reader must not fill our memory. */
export async function write(response: ServerResponse, piece: string | Uint8Array, signal: AbortSignal): Promise<void> {
  if (!response.write(piece)) await once(response, "drain", { signal });
}

/** The chunks of a stream of messages, the first of them already there: a stream that fails at once fails here. */
export async function opened<T>(messages: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const steps = messages[Symbol.asyncIterator]();
  const first = await steps.next();
  return {
    async *[Symbol.asyncIterator]() {
      try {
        for (let step = first; !step.done; step = await steps.next()) yield step.value;
      } finally {
        await steps.return?.();
      }
    },
  };
}
