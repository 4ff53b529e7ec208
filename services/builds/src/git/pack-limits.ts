import { fixedLimit } from "@ci/kit/process/fixed-limit";

/**
 * Objects that are read for one commit. A server that filters sends a handful; any other one sends all files of the
 * commit.
 */
const maxObjects = fixedLimit({
  max: 50_000,
  about: "objects that are read of a repository for one commit",
  effect: "the commit makes no build; its status is an error",
});

export const tooLarge = () => new Error("repository too large");

/** What may still be read of a repository. */
export interface Budget {
  leftBytes: number;
  leftObjects: number;
}

export const budgetOf = (maxBytes: number): Budget => ({ leftBytes: maxBytes, leftObjects: maxObjects });

export function spend(budget: Budget, bytes: number): void {
  budget.leftBytes -= bytes;
  if (budget.leftBytes < 0) throw tooLarge();
}

/** Throws before any object is read if a pack has too many. */
export function spendObjects(budget: Budget, count: number): void {
  if (count > budget.leftObjects) throw new Error(`repository too large: more than ${maxObjects} objects`);
  budget.leftObjects -= count;
}
