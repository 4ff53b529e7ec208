export interface PendingWrites {
  add(write: Promise<unknown>): void;
  /** Waits until at most `max` are pending. Throws the error of the first write that failed. */
  atMost(max: number): Promise<void>;
  /** Waits until none is pending. Never throws. */
  settled(): Promise<void>;
}

/** Calls `hurry` before each wait. */
export function pendingWrites(hurry: () => void): PendingWrites {
  const pending = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  return {
    add(write) {
      const tracked: Promise<void> = write.then(
        () => void pending.delete(tracked),
        (error) => {
          pending.delete(tracked);
          failure ??= { error };
        },
      );
      pending.add(tracked);
    },
    async atMost(max) {
      while (pending.size > max) {
        hurry();
        await Promise.race(pending);
      }
      if (failure) throw failure.error;
    },
    async settled() {
      hurry();
      await Promise.all(pending);
    },
  };
}
