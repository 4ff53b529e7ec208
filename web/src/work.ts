import { useState } from "preact/hooks";
import { hush } from "./said.js";

export interface Work {
  readonly busy: boolean;
  /** The error of the last request. */
  readonly failure: unknown;
  readonly start: (work: () => Promise<unknown>) => void;
  /** Takes back the error: the user has changed what it is about. */
  readonly forget: () => void;
}

/** Runs requests that change something, one at a time. */
export function useWork(onDone: () => void): Work {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const start = (work: () => Promise<unknown>) => {
    hush();
    setBusy(true);
    setFailure(undefined);
    work()
      .then(onDone, setFailure)
      .finally(() => setBusy(false));
  };
  return { busy, failure, start, forget: () => setFailure(undefined) };
}
