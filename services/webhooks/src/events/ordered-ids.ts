import type { Lease } from "@ci/kit/mongo/lease";

/** One durable write reserves this many ids. Those left when a term ends are lost. */
const blockSize = 1_000;

/** Ids for what is stored by the process that has the lease on the events. */
export interface OrderedIds {
  /** Reserves consecutive ids above those of earlier terms, with gaps only where others took some, and returns the first. */
  next(count: number): Promise<number>;
  /** Leaves out the ids that are reserved: others have taken higher ones, which later ids have to exceed. */
  skip(): void;
  /** Throws if the term in which an id was given has ended: another process may have stored later events by now. */
  check(id: number): void;
}

export function orderedIds({ term }: Pick<Lease, "term">, reserve: (count: number) => Promise<number>): OrderedIds {
  let block = { term: 0, first: 0, next: 0, end: 0 };

  function currentTerm(): number {
    const current = term();
    if (current === undefined) throw new Error("the lease on the events has ended");
    return current;
  }

  return {
    async next(count) {
      const current = currentTerm();
      if (block.term !== current || block.end - block.next < count) {
        const size = Math.max(blockSize, count);
        const start = await reserve(size);
        const continues = block.term === current && block.end === start;
        const first = block.term === current ? block.first : start;
        block = { term: current, first, next: continues ? block.next : start, end: start + size };
        if (currentTerm() !== current) throw new Error("the term has ended");
      }
      block.next += count;
      return block.next - count;
    },
    skip() {
      block = { ...block, end: block.next };
    },
    check(id) {
      if (currentTerm() !== block.term || id < block.first) throw new Error("the term has ended");
    },
  };
}
