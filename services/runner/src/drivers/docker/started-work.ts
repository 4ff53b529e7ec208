/** Begins work of a build's environment. Throws once the environment is being removed. */
export type Begin = <T>(work: () => Promise<T>) => Promise<T>;

/** Tracks started work. Disposal waits for it: the engine may create something after it was told to remove it. */
export function startedWork(): { readonly begin: Begin; end(): Promise<void> } {
  const started: Promise<unknown>[] = [];
  let over = false;
  return {
    async begin(work) {
      if (over) throw new Error("the environment has been removed");
      const doing = work();
      started.push(doing.catch(() => undefined));
      return doing;
    },
    async end() {
      over = true;
      await Promise.all(started);
    },
  };
}
