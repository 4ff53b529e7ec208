/** Slots for tasks that run side by side. No owner gets one while it has as many as are free, as in a fair queue. */
interface Shares<Owner> {
  isFull(): boolean;
  running(): number;
  mayStart(owner: Owner): boolean;
  /** Returns the owners that may not start another task now. */
  sated(): Owner[];
  /** Occupies a slot until the task ends, and calls `ended` then. The task must not fail. */
  start(owner: Owner, task: Promise<void>, ended: () => void): void;
}

export function sharesOf<Owner>(slots: number): Shares<Owner> {
  const counts = new Map<Owner, number>();
  let taken = 0;
  const countOf = (owner: Owner) => counts.get(owner) ?? 0;
  const mayStart = (owner: Owner) => countOf(owner) < slots - taken;

  function add(owner: Owner, change: 1 | -1): void {
    taken += change;
    counts.set(owner, countOf(owner) + change);
    if (countOf(owner) === 0) counts.delete(owner);
  }

  return {
    isFull: () => taken >= slots,
    running: () => taken,
    mayStart,
    sated: () => [...counts.keys()].filter((owner) => !mayStart(owner)),
    start(owner, task, ended) {
      add(owner, 1);
      void task.then(() => {
        add(owner, -1);
        ended();
      });
    },
  };
}
