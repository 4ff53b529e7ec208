import type { Lease } from "@ci/kit/mongo/lease";

/** One durable write reserves this many ids. Those left when a term ends are lost. */
const blockSize = 1_000;

/** Gives ids to the process that records deliveries: above those of earlier terms, and with gaps only where others took some. */
export function deliveryIds({ term }: Pick<Lease, "term">, reserve: (count: number) => Promise<number>) {
  let block = { term: 0, next: 0, end: 0 };

  function currentTerm(): number {
    const current = term();
    if (current === undefined) throw new Error("the lease on the events has ended");
    return current;
  }

  return async (count: number): Promise<number> => {
    const current = currentTerm();
    if (block.term !== current || block.end - block.next < count) {
      const size = Math.max(blockSize, count);
      const first = await reserve(size);
      const continues = block.term === current && block.end === first;
      block = { term: current, next: continues ? block.next : first, end: first + size };
      if (currentTerm() !== current) throw new Error("the term has ended");
    }
    block.next += count;
    return block.next - count;
  };
}
