import type { Lease } from "@ci/kit/mongo/lease";

/** One durable write reserves this many. The rest of them is lost when a term ends. */
const blockSize = 1_000;

/** Gives the process that records deliveries consecutive ids, above those of earlier terms. `reserve` returns the first of many. */
export function deliveryIds({ term }: Pick<Lease, "term">, reserve: (count: number) => Promise<number>) {
  let block: { readonly term: number | undefined; next: number; readonly end: number } | undefined;

  return async (count: number): Promise<number> => {
    const current = term();
    if (current === undefined) return reserve(count);
    if (block?.term !== current || block.end - block.next < count) {
      const size = Math.max(blockSize, count);
      const next = await reserve(size);
      block = { term: current, next, end: next + size };
    }
    const first = block.next;
    block.next += count;
    return first;
  };
}
