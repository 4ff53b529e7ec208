const mib = 1024 * 1024;

/** Returns a number of bytes in the largest unit that needs no fraction, such as `64 KiB`. */
export function sizeText(bytes: number): string {
  if (bytes % mib === 0) return `${bytes / mib} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}
