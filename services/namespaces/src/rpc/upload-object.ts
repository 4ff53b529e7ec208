import { createHash } from "node:crypto";
import { receiveUpload } from "@ci/kit/bytes/upload";
import { nextId } from "@ci/kit/mongo/ids";
import { userOf } from "@ci/kit/rpc/caller";
import { asFault, invalid } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import { createSite, findSite, quotaComplaintsAt, takenAt } from "../actions/site.js";
import type { Context, ObjectHandlers } from "../context.js";
import { objectChanged } from "../domain/events.js";
import { fileTooLarge, type ObjectDoc, objectNameComplaints, toObject } from "../domain/object.js";
import { sniff } from "../domain/sniff.js";

const taken = "Name already exists";

/** Waits for the first byte. Returns the whole content, or undefined if it is empty. */
async function nonEmpty(bytes: AsyncGenerator<Buffer>): Promise<AsyncIterable<Buffer> | undefined> {
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

async function putBytes(ctx: Context, userId: number, content: AsyncIterable<Buffer>, signal: AbortSignal) {
  const maxBytes = ctx.config.objectBytes;
  const md5 = createHash("md5");
  const tooLarge = () => invalid({ file: [fileTooLarge(maxBytes)] });
  const options = await ctx.objects.withinRoom(userId, { maxBytes, tooLarge, signal });
  const stored = await ctx.objectBlobs.put(content, options, md5);
  return { ...stored, md5: md5.digest("hex") };
}

/** Stores the record of an object whose content is stored. */
async function insert(ctx: Context, doc: ObjectDoc): Promise<void> {
  const act = { at: doc.createdAt as Date, actorId: doc.authorId };
  const created = objectChanged(act, "created", toObject(doc));
  try {
    if (!(await ctx.objects.insert({ ...doc, outbox: [created] }))) throw invalid({ name: [taken] });
  } catch (error) {
    // After any other error the object may have been stored, so leave the content to the sweep.
    if (asFault(error).code === "invalid") await ctx.objectBlobs.delete(doc.blobId);
    throw error;
  }
  ctx.deletions.created({ namespaceId: doc.namespaceId });
  try {
    await ctx.objectBlobs.keep(doc.blobId);
  } catch (error) {
    await ctx.objects.remove(doc, act.at, objectChanged(act, "deleted", toObject(doc)));
    throw error;
  }
}

export const uploadObject = (ctx: Context): ObjectHandlers["uploadObject"] =>
  validated(async (request, { caller, signal }) => {
    const userId = userOf(caller);
    const { header, content: bytes } = await receiveUpload(request);
    const { name, namespace, size = 0 } = header;
    const tooLarge = size > ctx.config.objectBytes ? [fileTooLarge(ctx.config.objectBytes)] : [];
    const site = await findSite(ctx, namespace, userId);
    const nameComplaints = [...objectNameComplaints(name), ...(await takenAt(ctx.objects, site, name, taken))];
    const quotaComplaints = await quotaComplaintsAt(ctx.objects, site);
    const content = await nonEmpty(bytes);
    return {
      complaints: {
        ...quotaComplaints,
        namespace: site.complaints,
        name: nameComplaints,
        file: content ? tooLarge : ["File field required"],
      },
      async change() {
        const { blobId, sizeBytes, md5, sha256, head } = await putBytes(ctx, site.userId!, content!, signal);
        const place = await createSite(ctx, namespace, userId).catch(async (error) => {
          await ctx.objectBlobs.delete(blobId);
          throw error;
        });
        const id = await nextId(ctx.db, "objects");
        const file = { type: sniff(head), size: sizeBytes, md5, sha256, blobId };
        const doc: ObjectDoc = { _id: id, ...place, name, ...file, createdAt: ctx.now(), outbox: [] };
        await insert(ctx, doc);
        return { object: toObject(doc) };
      },
    };
  });
