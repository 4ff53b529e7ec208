export const tooLargeText = "repository too large";
export const tooLarge = () => new Error(tooLargeText);

/** What may still be read of a repository. */
export interface Budget {
  leftBytes: number;
  leftObjects: number;
  readonly maxObjects: number;
}

export const budgetOf = (maxBytes: number, maxObjects: number): Budget => ({
  leftBytes: maxBytes,
  leftObjects: maxObjects,
  maxObjects,
});

export function spend(budget: Budget, bytes: number): void {
  budget.leftBytes -= bytes;
  if (budget.leftBytes < 0) throw tooLarge();
}

/** Throws before any object is read if a pack has too many. */
export function spendObjects(budget: Budget, count: number): void {
  if (count > budget.leftObjects) throw new Error(`${tooLargeText}: more than ${budget.maxObjects} objects`);
  budget.leftObjects -= count;
}
