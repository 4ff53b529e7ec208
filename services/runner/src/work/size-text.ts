const units = [
  ["GiB", 1024 ** 3],
  ["MiB", 1024 ** 2],
] as const;

/** Formats a size in the largest unit without a fraction. */
export function sizeText(bytes: number): string {
  const [unit, size] = units.find(([, size]) => bytes % size === 0) ?? ["bytes", 1];
  return `${bytes / size} ${unit}`;
}
