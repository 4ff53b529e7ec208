/** Returns a function that does the work at once, or if it did so within the last second, when the second is over. */
export function atMostOnceASecond(work: () => void): () => void {
  let pausing = false;
  let wanted = false;
  return function next(): void {
    wanted = true;
    if (pausing) return;
    wanted = false;
    pausing = true;
    work();
    setTimeout(() => {
      pausing = false;
      if (wanted) next();
    }, 1_000).unref();
  };
}
