/**
 * Returns a function to call after each piece of a long computation, with the size of that piece. After every `slice`
 * it returns a promise to await, so that other work of the process runs in between.
 */
export function pacer(slice: number): (size: number) => Promise<void> | undefined {
  let done = 0;
  return (size) => {
    done += size;
    if (done < slice) return undefined;
    done = 0;
    return new Promise((resolve) => setImmediate(resolve));
  };
}

export type Pace = ReturnType<typeof pacer>;
