const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/** Returns a size with three digits, such as `9.77 GiB`. */
export function roundedSize(bytes: number): string {
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 1024 ** unit).toPrecision(3))} ${units[unit]}`;
}

/** Formats a number of files: `1 file`, `2 files`. */
export const filesText = (count: number): string => `${count} ${count === 1 ? "file" : "files"}`;
