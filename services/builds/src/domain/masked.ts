import { sizeText } from "@ci/kit/bytes/size-text";
import type { GetBuildInputsResponse } from "@ci/proto/namespaces/v1/resources";
import type { MergedVariable } from "./variables.js";

const bytesOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** Complains if the masked variables and private keys of a build exceed `maxBytes` together. */
export function maskComplaints(
  variables: readonly MergedVariable[],
  keys: GetBuildInputsResponse["keys"],
  maxBytes: number,
): string[] {
  const masked = variables.filter(({ masked }) => masked).map(({ value }) => value);
  const bytes = bytesOf([...masked, ...keys.map(({ privateKey }) => privateKey)]);
  return bytes <= maxBytes
    ? []
    : [`Manifest masked variables and keys cannot exceed ${sizeText(maxBytes)}; delete some of them`];
}
