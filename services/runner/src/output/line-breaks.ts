/** A line break inside a possible word, and the number of characters before it. */
interface Break {
  readonly count: number;
  readonly from: number;
  to: number;
}

/** Keeps the line breaks inside a possible word. */
export function trackBreaks(fewest: number) {
  let breaks: Break[] = [];
  return {
    add: (count: number, from: number) => void breaks.push({ count, from, to: from + 1 }),
    /** Adds the line feed that ends at `position` to a carriage return that was kept. */
    extend(position: number): void {
      const last = breaks.at(-1);
      if (last?.to === position - 1) last.to = position;
    },
    any: () => breaks.length > 0,
    /** Forgets the breaks that have at most `count` characters before them. */
    trim(count: number): void {
      while (breaks.length > 0 && breaks[0]!.count <= count) breaks.shift();
    },
    clear(): void {
      if (breaks.length > 0) breaks = [];
    },
    /** Where the last `length` characters begin; before a line break, fewer than `fewest` of them do not count. */
    startOf(length: number, count: number, position: number): number {
      const inside = breaks.filter((one) => one.count > count - length);
      const first = inside[0];
      if (first && first.count - (count - length) < fewest) return first.to;
      return inside.reduce((at, { from, to }) => at - (to - from), position - length);
    },
  };
}
