/** A line break inside a possible word, with the number of characters and the bytes of breaks before it. */
interface Break {
  readonly count: number;
  readonly from: number;
  readonly earlier: number;
  to: number;
}

export function trackBreaks(fewest: number) {
  let breaks: Break[] = [];
  let head = 0;

  const bytesTo = (end: Break | undefined): number => (end ? end.earlier + end.to - end.from : 0);

  function firstBeyond(count: number): number {
    let [low, high] = [head, breaks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (breaks[middle]!.count > count) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function clear(): void {
    if (breaks.length > 0) breaks = [];
    head = 0;
  }

  return {
    add: (count: number, from: number) =>
      void breaks.push({ count, from, earlier: bytesTo(breaks.at(-1)), to: from + 1 }),
    /** Adds the line feed that ends at `position` to a carriage return that was kept. */
    extend(position: number): void {
      const last = head < breaks.length ? breaks.at(-1) : undefined;
      if (last?.to === position - 1) last.to = position;
    },
    any: () => head < breaks.length,
    /** Forgets the breaks that have at most `count` characters before them. */
    trim(count: number): void {
      while (head < breaks.length && breaks[head]!.count <= count) head++;
      if (head === breaks.length) clear();
      else if (2 * head > breaks.length) {
        breaks = breaks.slice(head);
        head = 0;
      }
    },
    clear,
    /** Where the last `length` characters begin; before a line break, fewer than `fewest` of them do not count. */
    startOf(length: number, count: number, position: number): number {
      const first = breaks[firstBeyond(count - length)];
      if (!first) return position - length;
      if (first.count - (count - length) < fewest) return first.to;
      return position - length - (bytesTo(breaks.at(-1)) - first.earlier);
    },
  };
}
