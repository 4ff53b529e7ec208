import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { completeBytes } from "./characters.js";

export const maxListedBytes = fixedLimit({
  max: 64 * 1024,
  unit: "bytes",
  about: "manifest in a list",
  refusal: "[ # M bytes left out, see url",
});

/**
 * Returns a manifest for a list. A long one is cut. Its last line says so and is invalid, so that nobody saves the rest.
 * `allBytes` is the size of the whole manifest if this is its beginning.
 */
export function listedManifest(text: string, allBytes = Buffer.byteLength(text)): string {
  if (allBytes <= maxListedBytes) return text;
  const start = Buffer.from(text).subarray(0, maxListedBytes);
  const end = completeBytes(start);
  return `${start.subarray(0, end).toString()}\n[ # ${allBytes - end} bytes left out, see url\n`;
}

/** Returns a record for a list, with its manifest cut if that is long. */
export function listed<D extends { readonly manifest: string; readonly manifestBytes?: number }>(doc: D): D {
  const manifest = listedManifest(doc.manifest, doc.manifestBytes);
  return manifest === doc.manifest ? doc : { ...doc, manifest };
}
