import { sizeText } from "@ci/kit/bytes/size-text";
import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { digestOf, wrongDigest } from "./blob.js";
import type { RegistryClient } from "./client.js";
import { type Manifest, manifestTypes, type Platform, parseManifest } from "./manifest.js";

/** An image of a registry, of which only the manifest has been read. */
export interface RemoteImage extends Manifest {
  readonly manifest: Buffer;
  readonly digest: string;
}

export interface FindOptions {
  readonly platform: Platform;
  /** Limits the configuration and all layers together. */
  readonly maxBytes: number;
}

export const tooLarge = (maxBytes: number): FetchFailed =>
  new FetchFailed(`it is larger than ${sizeText(maxBytes)}, the limit of DOCKER_PULL_LIMIT`);

const timeoutMs = 60_000;
const maxManifestBytes = 4 * 1024 ** 2;
/** An index may lead to another index. */
const maxSteps = 4;

async function readManifest(client: RegistryClient, reference: string): Promise<Buffer> {
  const headers = { accept: manifestTypes };
  using answer = await client.get(`manifests/${reference}`, { headers, timeoutMs });
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer.body) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxManifestBytes) throw new FetchFailed("its manifest is too large");
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** Reads the manifest of the image for a platform. */
export async function findImage(
  client: RegistryClient,
  reference: string,
  { platform, maxBytes }: FindOptions,
): Promise<RemoteImage> {
  let wanted = reference;
  for (let step = 0; step < maxSteps; step++) {
    const manifest = await readManifest(client, wanted);
    const digest = digestOf(manifest);
    if (wanted.includes(":") && wanted !== digest) throw wrongDigest();
    const parsed = await parseManifest(manifest, platform);
    if ("variant" in parsed) {
      wanted = parsed.variant.digest;
      continue;
    }
    const sizeBytes = [parsed.config, ...parsed.layers].reduce((sum, { size }) => sum + size, 0);
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
    return { ...parsed, manifest, digest };
  }
  throw new FetchFailed("its format is not supported");
}
