import { createHash } from "node:crypto";
import type { PutOptions } from "@ci/kit/bytes/blobs";
import { receiveUpload } from "@ci/kit/bytes/upload";
import { nextIds } from "@ci/kit/mongo/mongo";
import { asFault, type Fault, invalid } from "@ci/kit/rpc/fault";
import type { Context, QueueHandlers } from "../../context.js";
import { collect } from "../../domain/artifacts.js";
import { isHeld } from "../../domain/moves.js";

export const putArtifact =
  (ctx: Context): QueueHandlers["putArtifact"] =>
  async (request, { signal }) => {
    const { header, content } = await receiveUpload(request);
    isHeld(await ctx.builds.byId(header.buildId), header.epoch);
    const md5 = createHash("md5");
    const options: PutOptions = {
      maxBytes: ctx.config.artifactBytes,
      tooLarge: () => invalid({ file: [`larger than ${ctx.config.artifactBytes} bytes`] }),
      signal,
    };
    const { blobId, sizeBytes: size, sha256 } = await ctx.artifacts.put(content, options, md5);
    const { artifact: newId } = await nextIds(ctx.db, "ids", { artifact: 1 });
    try {
      await ctx.builds.change(header.buildId, (doc) =>
        collect(doc, header.epoch, { ...header, blobId, size, md5: md5.digest("hex"), sha256 }, newId),
      );
    } catch (error) {
      // Nothing refers to the content; should this fail too, the sweep finds it.
      await ctx.artifacts.delete(blobId).catch(() => undefined);
      throw asFault(error) satisfies Fault;
    }
    await ctx.artifacts.keep(blobId);
    return { size };
  };
