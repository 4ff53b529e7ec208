import type { PutOptions } from "@ci/kit/bytes/blobs";
import { receiveUpload } from "@ci/kit/bytes/upload";
import { nextId } from "@ci/kit/mongo/ids";
import { Fault, invalid } from "@ci/kit/rpc/fault";
import type { CacheHeader } from "@ci/proto/builds/v1/queue";
import { heldBuild } from "../../actions/queue/held-build.js";
import { heldCache } from "../../actions/queue/held-cache.js";
import { trimCaches } from "../../actions/remove-cache.js";
import type { Context, QueueHandlers } from "../../context.js";
import { mayStore } from "../../domain/cache.js";

const hash = /^[0-9a-f]{64}$/;

function checkHeader({ key, sha256, size }: CacheHeader, maxBytes: number): void {
  if (!hash.test(key) || !hash.test(sha256)) throw invalid({ key: ["must be a SHA-256 in lower-case hex"] });
  if (size > maxBytes) throw invalid({ file: [`larger than ${maxBytes} bytes`] });
}

/** The stored size must not exceed the limit either, nor the owner's whole storage. */
function putOptions({ config }: Context, signal: AbortSignal | undefined): PutOptions {
  const { cacheBytes, cacheStorageBytes } = config;
  const maxBytes = cacheStorageBytes > 0 ? Math.min(cacheBytes, cacheStorageBytes) : cacheBytes;
  return { maxBytes, tooLarge: () => invalid({ file: [`larger than ${maxBytes} bytes`] }), signal };
}

export const putCache =
  (ctx: Context): QueueHandlers["putCache"] =>
  async (request, { signal }) => {
    const { header, content } = await receiveUpload(request);
    const { name, key, size, sha256, format, ...lease } = header;
    const { build, scope } = await heldCache(ctx, lease, { name, format });
    if (!mayStore(build)) throw new Fault("forbidden", "A build of a fork stores no caches");
    checkHeader(header, ctx.config.cacheBytes);
    const { blobId, sizeBytes: storedSize } = await ctx.contents.put(content, putOptions(ctx, signal));
    const drop = () => ctx.contents.delete(blobId).catch(() => undefined);
    // The upload may have taken longer than the lease.
    await heldBuild(ctx, lease).catch(async (error) => {
      await drop();
      throw error;
    });
    const now = ctx.now();
    const entry = { ...scope, key, size, sha256, storedSize, blobId, createdAt: now, usedAt: now };
    const { ownerId: userId, rootId: namespaceId } = build;
    const stored = await ctx.caches.insert({
      _id: await nextId(ctx.db, "caches"),
      ...entry,
      driver: build.driver.type,
      userId,
      ...(namespaceId === undefined ? {} : { namespaceId }),
    });
    if (!stored) await drop();
    else {
      await ctx.contents.keep(blobId);
      ctx.deletions.created({ userId, namespaceId });
      await trimCaches(ctx, scope.owner);
    }
    return { stored, storedSize };
  };
