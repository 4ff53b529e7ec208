const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** Returns a size with three digits, such as `9.77 GiB`. */
export function roundedSize(bytes: number): string {
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 1024 ** unit).toPrecision(3))} ${units[unit]}`;
}

/** Returns a size in the largest unit that needs no fraction, such as `64 KiB`. */
export function sizeText(bytes: number): string {
  const unit = [3, 2, 1].find((power) => bytes > 0 && bytes % 1024 ** power === 0) ?? 0;
  return `${bytes / 1024 ** unit} ${units[unit]}`;
}

/** Formats a number of files: `1 file`, `2 files`. */
export const filesText = (count: number): string => `${count} ${count === 1 ? "file" : "files"}`;
