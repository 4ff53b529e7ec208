import { createHash } from "node:crypto";
import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { RegistryClient } from "./client.js";
import type { Descriptor } from "./manifest.js";

const timeoutMs = 3_600_000;
const maxFailures = 5;

export const wrongDigest = (): FetchFailed => new FetchFailed("its content does not match its digest");
export const digestOf = (bytes: Buffer): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** Reads a blob from an offset. Not every registry serves parts. */
async function* bytesFrom(client: RegistryClient, digest: string, offset: number): AsyncGenerator<Buffer> {
  const headers: Record<string, string> = offset > 0 ? { range: `bytes=${offset}-` } : {};
  using answer = await client.get(`blobs/${digest}`, { headers, timeoutMs });
  let skip = answer.status === 206 ? 0 : offset;
  for await (const chunk of answer.body) {
    if (chunk.length > skip) yield chunk.subarray(skip);
    skip = Math.max(0, skip - chunk.length);
  }
}

/** Reads a blob of exactly the size and digest that its descriptor states. Continues after a lost connection. */
export async function* readBlob(client: RegistryClient, { digest, size }: Descriptor): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let readBytes = 0;
  for (let failures = 0; readBytes < size; ) {
    try {
      for await (const chunk of bytesFrom(client, digest, readBytes)) {
        readBytes += chunk.length;
        if (readBytes > size) throw wrongDigest();
        hash.update(chunk);
        yield chunk;
      }
      if (readBytes < size) throw new FetchFailed("connection reset");
    } catch (error) {
      const lost = error instanceof FetchFailed && error.reason === "connection reset";
      if (!lost || ++failures > maxFailures) throw error;
    }
  }
  if (`sha256:${hash.digest("hex")}` !== digest) throw wrongDigest();
}
