import { fixedLimit } from "../process/fixed-limit.js";

/** Yields the chunks of a stream. Throws the signal's reason as soon as it fires, even while the source is silent. */
export async function* abortable<T>(
  signal: AbortSignal | undefined,
  stream: AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const source = stream[Symbol.asyncIterator]();
  let stop = (_reason: unknown) => {};
  const onAbort = () => stop(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const step = await new Promise<IteratorResult<T>>((resolve, reject) => {
        stop = reject;
        source.next().then(resolve, reject);
      });
      if (step.done) return;
      yield step.value;
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    // Do not await this: a silent source returns only after its next chunk.
    Promise.resolve(source.return?.()).catch(() => {});
  }
}

/** Cuts a stream into full chunks and a last one. A chunk is valid until the next but one is requested. */
export async function* inChunks(stream: AsyncIterable<Uint8Array>, chunkBytes: number): AsyncGenerator<Buffer> {
  let buffer = Buffer.allocUnsafeSlow(chunkBytes);
  let other = Buffer.allocUnsafeSlow(chunkBytes);
  let filled = 0;
  for await (const part of stream) {
    for (let from = 0; from < part.length; ) {
      const taken = part.subarray(from, from + chunkBytes - filled);
      buffer.set(taken, filled);
      from += taken.length;
      filled += taken.length;
      if (filled < chunkBytes) continue;
      yield buffer;
      [buffer, other] = [other, buffer];
      filled = 0;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

const messageBytes = fixedLimit({
  max: 64 * 1024,
  unit: "bytes",
  about: "one message of content or output between services, of which each side holds some for a slow reader",
  effect: "the rest follows in the next message",
});

/** Cuts bytes into messages of a stream between services. They share the memory of `bytes`. */
export function* inMessages(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += messageBytes) yield bytes.subarray(from, from + messageBytes);
}

/** Yields the same items, but requests the next one while the current one is in use. */
export async function* readAhead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const source = items[Symbol.asyncIterator]();
  const request = () => {
    const step = source.next();
    // Avoids an unhandled rejection if nobody awaits this. Anyone who does still gets the error.
    step.catch(() => undefined);
    return step;
  };
  try {
    for (let next = request(); ; ) {
      const step = await next;
      if (step.done) return;
      next = request();
      yield step.value;
    }
  } finally {
    await source.return?.();
  }
}
