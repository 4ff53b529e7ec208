const maxSharedBytes = 1024 * 1024;

/** Removes and returns the first of these items: as many as may share a message, but at least one. */
export function takeMessage<T>(items: T[], bytesOf: (item: T) => number): T[] {
  let bytes = 0;
  const end = items.findIndex((item, index) => {
    bytes += bytesOf(item);
    return index > 0 && bytes > maxSharedBytes;
  });
  return items.splice(0, end < 0 ? items.length : end);
}
