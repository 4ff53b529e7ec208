export interface Parts {
  own<T extends AsyncDisposable>(part: T): T;
  /** Owns a part that outlives all others. */
  ownToTheEnd<T extends AsyncDisposable>(part: T): T;
}

/** Starts what consists of parts. Its disposal, or a failed start, disposes of all parts, the latest first. */
export async function assembled<T extends object>(
  assemble: (parts: Parts) => Promise<T>,
): Promise<T & AsyncDisposable> {
  const parts: AsyncDisposable[] = [];
  const own = <P extends AsyncDisposable>(part: P): P => {
    parts.push(part);
    return part;
  };
  const ownToTheEnd = <P extends AsyncDisposable>(part: P): P => {
    parts.unshift(part);
    return part;
  };
  const dispose = async () => {
    const failures: unknown[] = [];
    for (const part of parts.toReversed())
      try {
        await part[Symbol.asyncDispose]();
      } catch (error) {
        failures.push(error);
      }
    if (failures.length > 0) throw failures[0];
  };
  try {
    return { ...(await assemble({ own, ownToTheEnd })), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}
