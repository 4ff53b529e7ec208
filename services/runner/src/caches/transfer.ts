import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { constants, createGunzip, createGzip } from "node:zlib";
import { sendUpload } from "@ci/kit/bytes/upload";
import { Fault } from "@ci/kit/rpc/fault";
import type { CacheEntry, CacheHeader, PutCacheResponse, QueueServiceClient } from "@ci/proto/builds/v1/queue";
import type { Mark } from "../driver.js";

export interface Transferring {
  readonly queue: Pick<QueueServiceClient, "findCache" | "readCache" | "putCache">;
  readonly mark: Mark;
  readonly signal: AbortSignal;
}

/** Fetches the content of an entry into the file `to`. Throws a Fault unless size and hash are those of the entry. */
export async function fetchEntry(
  { id, size, sha256 }: CacheEntry,
  to: string,
  { queue, mark: { buildId, epoch }, signal }: Transferring,
): Promise<void> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  async function* stored() {
    for await (const { chunk } of queue.readCache({ buildId, epoch, id }, { signal })) yield chunk;
  }
  async function* checked(parts: AsyncIterable<Uint8Array>) {
    for await (const part of parts) {
      sizeBytes += part.length;
      if (sizeBytes > size) break;
      hash.update(part);
      yield part;
    }
  }
  await pipeline(stored, createGunzip(), checked, createWriteStream(to, { flags: "wx", mode: 0o600 }), { signal });
  if (sizeBytes !== size || hash.digest("hex") !== sha256)
    throw new Fault("precondition", "the stored content is damaged");
}

/** Sends the content of a file, compressed quickly rather than well. */
export async function sendEntry(
  header: Omit<CacheHeader, "buildId" | "epoch">,
  from: string,
  { queue, mark: { buildId, epoch }, signal }: Transferring,
): Promise<PutCacheResponse> {
  const compressed = createGzip({ level: constants.Z_BEST_SPEED });
  const read = pipeline(createReadStream(from), compressed, { signal });
  read.catch(() => undefined);
  try {
    return await queue.putCache(sendUpload({ buildId, epoch, ...header }, compressed), { signal });
  } finally {
    compressed.destroy();
  }
}
