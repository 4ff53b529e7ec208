import type { Manifest } from "@ci/manifest/manifest";
import { sizeText } from "@ci/manifest/size-text";
import type { GetBuildInputsResponse } from "@ci/proto/namespaces/v1/resources";

const bytesOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

/** Complains if the masked variables and private keys of a build exceed `maxBytes` together. */
export function maskComplaints(
  { env }: Pick<Manifest, "env">,
  { variables, keys }: Pick<GetBuildInputsResponse, "variables" | "keys">,
  maxBytes: number,
): string[] {
  const replaced = new Set(env.map(({ key }) => key));
  const masked = variables.filter(({ key, masked }) => masked && !replaced.has(key)).map(({ value }) => value);
  const bytes = bytesOf([...masked, ...keys.map(({ privateKey }) => privateKey)]);
  return bytes <= maxBytes ? [] : [`Manifest masked variables and keys cannot exceed ${sizeText(maxBytes)}`];
}
