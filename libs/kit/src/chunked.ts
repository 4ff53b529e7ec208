/** The chunks of a stream; throws the signal's reason as soon as it fires, also while the source is silent. */
export async function* until(signal: AbortSignal | undefined, stream: AsyncIterable<Uint8Array>) {
  const source = stream[Symbol.asyncIterator]();
  let stop = (_reason: unknown) => {};
  const onAbort = () => stop(signal?.reason);
  signal?.addEventListener("abort", onAbort);
  try {
    for (;;) {
      signal?.throwIfAborted();
      const step = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        stop = reject;
        source.next().then(resolve, reject);
      });
      if (step.done) return;
      yield step.value;
    }
  } finally {
    signal?.removeEventListener("abort", onAbort);
    // Not awaited: a silent source would answer only after its next chunk.
    Promise.resolve(source.return?.()).catch(() => {});
  }
}

/** Cuts a stream into full chunks and a last one. The buffer is used again: be done with it before asking for more. */
export async function* inChunks(stream: AsyncIterable<Uint8Array>, chunkBytes: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  let filled = 0;
  for await (const part of stream) {
    for (let from = 0; from < part.length; ) {
      const taken = part.subarray(from, from + chunkBytes - filled);
      buffer.set(taken, filled);
      from += taken.length;
      filled += taken.length;
      if (filled < chunkBytes) continue;
      yield buffer;
      filled = 0;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}
