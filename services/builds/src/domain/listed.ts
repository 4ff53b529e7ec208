import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { completeBytes } from "./characters.js";

/** Bytes of a manifest in a list, whose pages have 25. */
const maxBytes = fixedLimit({
  max: 64 * 1024,
  unit: "bytes",
  about: "manifest in a list",
  refusal: "[ # M bytes left out, see url",
});

/** Returns a manifest for a list. A long one is cut. Its last line says so and is invalid, so that nobody saves the rest. */
export function listedManifest(text: string): string {
  if (text.length * 3 <= maxBytes) return text;
  const all = Buffer.from(text);
  if (all.length <= maxBytes) return text;
  const end = completeBytes(all.subarray(0, maxBytes));
  return `${all.subarray(0, end).toString()}\n[ # ${all.length - end} bytes left out, see url\n`;
}

/** Returns a record for a list, with its manifest cut if that is long. */
export function listed<D extends { readonly manifest: string }>(doc: D): D {
  const manifest = listedManifest(doc.manifest);
  return manifest === doc.manifest ? doc : { ...doc, manifest };
}
