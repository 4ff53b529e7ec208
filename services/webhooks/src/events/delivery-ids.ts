import type { Lease } from "@ci/kit/mongo/lease";

/** One durable write reserves this many ids. Those left when a term ends are lost. */
const blockSize = 1_000;

/** Gives the process that records deliveries ids above those of earlier terms. They have a gap only if another has taken some. */
export function deliveryIds({ term }: Pick<Lease, "term">, reserve: (count: number) => Promise<number>) {
  let block = { term: undefined as number | undefined, next: 0, end: 0 };

  return async (count: number): Promise<number> => {
    const current = term();
    if (current === undefined) return reserve(count);
    if (block.term !== current || block.end - block.next < count) {
      const size = Math.max(blockSize, count);
      const first = await reserve(size);
      const continues = block.term === current && block.end === first;
      block = { term: current, next: continues ? block.next : first, end: first + size };
    }
    block.next += count;
    return block.next - count;
  };
}
