export interface UnwrittenBytes {
  add(bytes: number): void;
  remove(bytes: number): void;
  /** Waits until there are at most as many as the limit. Calls `hurry` before each wait. */
  room(hurry: () => void): Promise<void>;
}

export function unwrittenBytes(max: number): UnwrittenBytes {
  let total = 0;
  let waiting: (() => void)[] = [];
  return {
    add(bytes) {
      total += bytes;
    },
    remove(bytes) {
      total -= bytes;
      if (total > max) return;
      for (const resume of waiting) resume();
      waiting = [];
    },
    async room(hurry) {
      while (total > max) {
        hurry();
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}
