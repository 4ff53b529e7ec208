/**
 * Takes steps, one for each owner in turn, until there are no requests, none can go on, or `isOver`. A step that cannot go on
 * returns undefined. Returns the sum of the others, or undefined if requests are left. An error of one step stops no other, and
 * is thrown at the end.
 */
export async function ownersInTurn<R extends { readonly userId: number }>(
  next: (afterOwnerId: number) => Promise<R | null>,
  step: (request: R) => Promise<number | undefined>,
  isOver: () => boolean = () => false,
): Promise<number | undefined> {
  const errors: unknown[] = [];
  let total = 0;
  let [moved, left] = [true, false];
  while (moved && !isOver()) {
    moved = false;
    let request = await next(0);
    for (left = false; request && !isOver(); request = await next(request.userId)) {
      const count = await step(request).catch((error) => void errors.push(error));
      moved ||= count !== undefined;
      left ||= count === undefined;
      total += count ?? 0;
    }
    left ||= request !== null;
  }
  if (errors.length > 0) throw errors[0];
  return left || moved ? undefined : total;
}
