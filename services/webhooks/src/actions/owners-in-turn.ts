/**
 * Takes steps, one for each owner in turn, until there are no requests or none can go on: such a step returns undefined.
 * Returns the sum of the others, or undefined if some requests have to wait.
 */
export async function ownersInTurn<R extends { readonly userId: number }>(
  next: (afterOwnerId: number) => Promise<R | null>,
  step: (request: R) => Promise<number | undefined>,
): Promise<number | undefined> {
  let total = 0;
  for (;;) {
    let [moved, waits] = [false, false];
    for (let request = await next(0); request; request = await next(request.userId)) {
      const count = await step(request);
      moved ||= count !== undefined;
      waits ||= count === undefined;
      total += count ?? 0;
    }
    if (!moved) return waits ? undefined : total;
  }
}
