import { useState } from "preact/hooks";

export interface Work {
  readonly busy: boolean;
  /** Why the last work failed. */
  readonly failure: unknown;
  readonly start: (work: () => Promise<unknown>) => void;
}

/** Does one piece of work at a time: a request that changes something. */
export function useWork(onDone: () => void): Work {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const start = (work: () => Promise<unknown>) => {
    setBusy(true);
    setFailure(undefined);
    work()
      .then(onDone, setFailure)
      .finally(() => setBusy(false));
  };
  return { busy, failure, start };
}
