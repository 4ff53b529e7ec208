import { fixedLimit } from "@ci/kit/process/fixed-limit";

export const maxSlice = fixedLimit({
  max: 200,
  about: "deliveries of a batch of events that one command stores",
  effect: "further ones follow in further commands",
});
export const maxSliceBytes = fixedLimit({
  max: 1024 ** 2,
  unit: "bytes",
  about: "payloads of the deliveries that one command stores",
  effect: "further ones follow in further commands",
});

/** Cuts items into consecutive slices within the limits. A larger item has a slice of its own. */
export function* slices<T>(items: Iterable<T>, bytesOf: (item: T) => number): Generator<T[]> {
  let slice: T[] = [];
  let sizeBytes = 0;
  for (const item of items) {
    const bytes = bytesOf(item);
    if (slice.length === maxSlice || (slice.length > 0 && sizeBytes + bytes > maxSliceBytes)) {
      yield slice;
      [slice, sizeBytes] = [[], 0];
    }
    slice.push(item);
    sizeBytes += bytes;
  }
  if (slice.length > 0) yield slice;
}
