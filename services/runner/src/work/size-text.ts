const units = [
  ["GiB", 1024 ** 3],
  ["MiB", 1024 ** 2],
] as const;

/** A size as messages tell it: in the largest unit that leaves no fraction. */
export function sizeText(bytes: number): string {
  const [unit, size] = units.find(([, size]) => bytes % size === 0) ?? ["bytes", 1];
  return `${bytes / size} ${unit}`;
}
