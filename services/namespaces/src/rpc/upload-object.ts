import { createHash } from "node:crypto";
import { receiveUpload } from "@ci/kit/bytes/upload";
import { nextId } from "@ci/kit/mongo/ids";
import { invalid } from "@ci/kit/rpc/fault";
import { refuse } from "@ci/kit/rpc/refuse";
import type { Context } from "../context.js";
import { fileTooLarge, type ObjectDoc, objectNameComplaints, toObject } from "../domain/object.js";
import { sniff } from "../domain/sniff.js";
import { findSite, makeSite, takenAt } from "../place.js";
import { objectChanged } from "../resource-events.js";
import type { ObjectHandlers } from "../resource-parts.js";
import { userOf } from "./see.js";

const taken = "Name already exists";

/** Reads as far as the first byte; answers the whole content, or undefined if there is none. */
async function begun(bytes: AsyncGenerator<Buffer>): Promise<AsyncIterable<Buffer> | undefined> {
  for (let step = await bytes.next(); !step.done; step = await bytes.next()) {
    const first = step.value;
    if (first.length === 0) continue;
    return (async function* () {
      yield first;
      yield* bytes;
    })();
  }
  return undefined;
}

async function putBytes(ctx: Context, content: AsyncIterable<Buffer>, signal: AbortSignal) {
  const maxBytes = ctx.config.objectBytes;
  const md5 = createHash("md5");
  const tooLarge = () => invalid({ file: [fileTooLarge(maxBytes)] });
  const stored = await ctx.objectBlobs.put(content, { maxBytes, tooLarge, signal }, md5);
  return { ...stored, md5: md5.digest("hex") };
}

/** Stores the record of bytes that are stored already. */
async function record(ctx: Context, doc: ObjectDoc): Promise<void> {
  const act = { at: doc.createdAt as Date, actorId: doc.authorId };
  const created = objectChanged(act, "created", toObject(doc));
  if (!(await ctx.objects.insert({ ...doc, outbox: [created] }))) {
    await ctx.objectBlobs.delete(doc.blobId);
    throw invalid({ name: [taken] });
  }
  ctx.deletions.created({ namespaceId: doc.namespaceId });
  try {
    await ctx.objectBlobs.keep(doc.blobId);
  } catch (error) {
    await ctx.objects.remove(doc, act.at, objectChanged(act, "deleted", toObject(doc)));
    throw error;
  }
}

export const uploadObject =
  (ctx: Context): ObjectHandlers["uploadObject"] =>
  async (request, { caller, signal }) => {
    const userId = userOf(caller);
    const { header, content: bytes } = await receiveUpload(request);
    const { name, namespace } = header;
    const site = await findSite(ctx, namespace, userId);
    const nameComplaints = [...objectNameComplaints(name), ...(await takenAt(ctx.objects, site, name, taken))];
    const content = await begun(bytes);
    refuse({ namespace: site.complaints, name: nameComplaints, file: content ? [] : ["File field required"] });
    const { blobId, sizeBytes, md5, sha256, head } = await putBytes(ctx, content!, signal);
    // Should anything but a taken name stop it from here on, the sweep removes the bytes.
    const place = await makeSite(ctx, namespace, userId);
    const id = await nextId(ctx.db, "objects");
    const found = { type: sniff(head), size: sizeBytes, md5, sha256, blobId };
    const doc: ObjectDoc = { _id: id, ...place, name, ...found, createdAt: ctx.now(), outbox: [] };
    await record(ctx, doc);
    return { object: toObject(doc) };
  };
