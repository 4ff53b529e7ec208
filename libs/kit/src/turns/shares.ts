import { countsBy } from "./counts.js";

interface Shares<Owner> {
  isFull(): boolean;
  running(): number;
  runningOf(owner: Owner): number;
  mayStart(owner: Owner): boolean;
  /** Returns the owners that may not start another task now. */
  sated(): Owner[];
  take(owner: Owner): void;
  release(owner: Owner): void;
  /** Occupies a slot until the task ends, and calls `ended` then. The task must not fail. */
  start(owner: Owner, task: Promise<void>, ended: () => void): void;
}

/**
 * Slots for tasks that run side by side. No owner gets a slot while it has as many as are free. So one owner gets half of
 * the slots, and others find a slot free although all tasks of the first one hang.
 */
export function sharesOf<Owner>(slots: number): Shares<Owner> {
  const counts = countsBy<Owner>();
  let taken = 0;
  const mayStart = (owner: Owner) => counts.of(owner) < slots - taken;

  function add(owner: Owner, change: 1 | -1): void {
    taken += change;
    counts.add(owner, change);
  }

  return {
    isFull: () => taken >= slots,
    running: () => taken,
    runningOf: counts.of,
    mayStart,
    sated: () => counts.keys().filter((owner) => !mayStart(owner)),
    take: (owner) => add(owner, 1),
    release: (owner) => add(owner, -1),
    start(owner, task, ended) {
      add(owner, 1);
      void task.then(() => {
        add(owner, -1);
        ended();
      });
    },
  };
}
