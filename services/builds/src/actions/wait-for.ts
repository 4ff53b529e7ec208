/** Waits for the work up to a limit. After that the work continues in the background. */
export const waitFor = (work: Promise<void>, maxMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, maxMs);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
