const units = [
  ["GiB", 1024 ** 3],
  ["MiB", 1024 ** 2],
] as const;

/** Formats a size in the largest unit without a fraction. */
export function sizeText(bytes: number): string {
  const [unit, size] = units.find(([, size]) => bytes % size === 0) ?? ["bytes", 1];
  return `${bytes / size} ${unit}`;
}

/** Formats a size with three digits, such as `9.77 MiB`. */
export function roundedSize(bytes: number): string {
  const unit = Math.min(3, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 1024 ** unit).toPrecision(3))} ${["bytes", "KiB", "MiB", "GiB"][unit]}`;
}
