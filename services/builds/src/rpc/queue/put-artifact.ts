import { asFault, type Fault, invalid } from "@ci/kit/fault";
import { nextIds } from "@ci/kit/mongo";
import type { ArtifactHeader, PutArtifactRequest } from "@ci/proto/builds/v1/queue";
import type { Context, QueueHandlers } from "../../context.js";
import { collect } from "../../domain/artifacts.js";
import { holdsEpoch } from "../../domain/moves.js";

/** The first message of an upload, and the bytes that follow. */
async function opened(
  request: AsyncIterable<PutArtifactRequest>,
): Promise<{ header: ArtifactHeader; bytes: AsyncGenerator<Uint8Array> }> {
  const parts = request[Symbol.asyncIterator]();
  const first = await parts.next();
  const part = first.done ? undefined : first.value.part;
  if (part?.$case !== "header") throw invalid({ header: ["Header field required"] });
  async function* rest(): AsyncGenerator<Uint8Array> {
    for (let next = await parts.next(); !next.done; next = await parts.next())
      if (next.value.part?.$case === "chunk") yield next.value.part.value;
  }
  return { header: part.value, bytes: rest() };
}

export const putArtifact =
  (ctx: Context): QueueHandlers["putArtifact"] =>
  async (request, { signal }) => {
    const { header, bytes } = await opened(request);
    holdsEpoch(await ctx.builds.byId(header.buildId), header.epoch);
    const stored = await ctx.artifacts.put(bytes, {
      maxBytes: ctx.config.artifactBytes,
      tooLarge: () => invalid({ file: [`larger than ${ctx.config.artifactBytes} bytes`] }),
      signal,
    });
    const { blobId, sizeBytes: size, md5, sha256 } = stored;
    const { artifact: newId } = await nextIds(ctx.db, "ids", { artifact: 1 });
    try {
      await ctx.builds.change(header.buildId, (doc) =>
        collect(doc, header.epoch, { ...header, blobId, size, md5, sha256 }, newId),
      );
    } catch (error) {
      // Nothing refers to the content; should this fail too, the sweep finds it.
      await ctx.artifacts.delete(blobId).catch(() => undefined);
      throw asFault(error) satisfies Fault;
    }
    await ctx.artifacts.keep(blobId);
    return { size };
  };
