/** Work that is waited for later: what comes after it has begun already. */
export interface Behind {
  add(work: Promise<unknown>): void;
  /** Resolves when at most `most` are under way. Throws what the first that failed has thrown. */
  atMost(most: number): Promise<void>;
  /** Resolves when nothing is under way, however it ended. */
  over(): Promise<void>;
}

export function behind(): Behind {
  const open = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  return {
    add(work) {
      const mine: Promise<void> = work.then(
        () => void open.delete(mine),
        (error) => {
          open.delete(mine);
          failure ??= { error };
        },
      );
      open.add(mine);
    },
    async atMost(most) {
      while (open.size > most) await Promise.race(open);
      if (failure) throw failure.error;
    },
    async over() {
      await Promise.all(open);
    },
  };
}
