/** The chunks of a stream; throws the signal's reason as soon as it fires, also while the source is silent. */
export async function* abortable(signal: AbortSignal | undefined, stream: AsyncIterable<Uint8Array>) {
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

/**
 * Cuts a stream into full chunks and a last one. Two buffers take turns: a chunk may be in use until the next one has
 * come, but be done with it before asking for one more.
 */
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

/** The same items, of which the next one is already asked for while one is being used. */
export async function* readAhead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const source = items[Symbol.asyncIterator]();
  const ask = () => {
    const step = source.next();
    // Whoever waits for it hears of the failure; nobody may.
    step.catch(() => undefined);
    return step;
  };
  try {
    for (let next = ask(); ; ) {
      const step = await next;
      if (step.done) return;
      next = ask();
      yield step.value;
    }
  } finally {
    await source.return?.();
  }
}
