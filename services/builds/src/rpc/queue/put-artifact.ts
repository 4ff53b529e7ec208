import { createHash } from "node:crypto";
import type { PutOptions } from "@ci/kit/bytes/blobs";
import { receiveUpload } from "@ci/kit/bytes/upload";
import { withinRoom } from "@ci/kit/mongo/byte-quota";
import { nextIds } from "@ci/kit/mongo/ids";
import { withinQuotas } from "@ci/kit/mongo/quota";
import { asFault, invalid } from "@ci/kit/rpc/fault";
import { changeAndDrop, changeOrDrop } from "../../actions/drop-contents.js";
import type { Context, QueueHandlers } from "../../context.js";
import { collect, replacedBy } from "../../domain/artifacts.js";
import type { BuildDoc } from "../../domain/build.js";
import { requireSecret } from "../../domain/lease-secret.js";
import { artifactQuota } from "../../store/artifact-quota.js";

export const putArtifact =
  (ctx: Context): QueueHandlers["putArtifact"] =>
  async (request, { signal }) => {
    const { header: received, content } = await receiveUpload(request);
    const { leaseSecret, ...header } = received;
    const build = await ctx.builds.current(header.buildId);
    requireSecret(build, leaseSecret);
    // Refuses the file before its content is read, for every reason that would refuse it afterwards.
    collect(build, header.epoch, { ...header, blobId: "", size: 0, md5: "", sha256: "" }, 0);
    const md5 = createHash("md5");
    const replaced = replacedBy(build, header);
    const upload = { buildId: header.buildId, replacedBlobIds: replaced ? [replaced] : [] };
    const quota = (bytes: number) =>
      artifactQuota(ctx.db, build.userId, ctx.config.artifactQuota, { ...upload, bytes });
    const options: PutOptions = {
      maxBytes: ctx.config.artifactBytes,
      tooLarge: () => invalid({ file: [`larger than ${ctx.config.artifactBytes} bytes`] }),
      signal,
    };
    const room = await withinRoom(ctx.db, quota(options.maxBytes), options);
    const stored = await ctx.contents.put(content, room, md5);
    const { blobId, sizeBytes: size, sha256 } = stored;
    const collected = { ...header, blobId, size, md5: md5.digest("hex"), sha256 };
    try {
      const { artifact: newId } = await nextIds(ctx.db, "ids", { artifact: 1 });
      const decide = (doc: BuildDoc) => collect(doc, header.epoch, collected, newId);
      await withinQuotas(ctx.db, [quota(size)], { buildId: header.buildId, blobId }, () =>
        replaced
          ? changeAndDrop(ctx, header.buildId, decide)
          : changeOrDrop(ctx, header.buildId, decide, (doc) => replacedBy(doc, header) !== undefined),
      );
    } catch (error) {
      // After any other error the write may have happened, so leave the content to the sweep.
      if (["conflict", "invalid"].includes(asFault(error).code))
        await ctx.contents.delete(blobId).catch(() => undefined);
      throw error;
    }
    await ctx.contents.keep(blobId);
    return { size };
  };
