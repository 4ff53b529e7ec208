import { randomUUID } from "node:crypto";
import type { Stored } from "@ci/kit/bytes/blobs";
import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { Fault } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { mayPass, pauseAfter } from "../domain/attempt.js";
import { type ImageDoc, toImage } from "../domain/image.js";
import { imageChanged } from "../events.js";
import { type Attempt, dropUnwanted, fetchContent } from "../fetch-content.js";
import { holdLease } from "../hold-lease.js";

/** What came of an attempt. */
type Outcome =
  | { readonly content: ReturnType<typeof contentOf> }
  | { readonly reason: string; readonly again: boolean };

const contentOf = ({ blobId, sizeBytes: size, sha256 }: Stored) => ({ blobId, size, sha256 });

/** What an attempt failed for, in words for the image's owner; undefined if it was ended from outside. */
function judge(ctx: Context, doc: ImageDoc, error: unknown, signal: AbortSignal): Outcome | undefined {
  if (signal.aborted && !(signal.reason instanceof FetchFailed)) return undefined;
  if (error instanceof FetchFailed) return { reason: error.reason, again: mayPass(error.reason) };
  const [complaint] = (error instanceof Fault && error.fields?.file) || [];
  if (complaint) return { reason: complaint, again: false };
  ctx.log.error({ err: error, image: doc._id }, "download failed unexpectedly");
  return { reason: "internal error", again: true };
}

/** Ends the download for good, successful or not. */
async function finish(ctx: Context, { doc, token, begun, total }: Attempt, outcome: Outcome): Promise<void> {
  const finishedAt = ctx.now();
  const content = "content" in outcome ? outcome.content : undefined;
  const error = "reason" in outcome ? outcome.reason : undefined;
  const progress = begun ? { received: begun.sizeBytes, total } : {};
  const came = { ...content, download: { ...doc.download!, ...progress, finishedAt, ...(error ? { error } : {}) } };
  const report = (image: ImageDoc) => imageChanged({ at: finishedAt }, "updated", toImage(image));
  if (!(await ctx.images.finish(doc._id, token, came, report))) return;
  ctx.log.info({ image: doc._id, error, sizeBytes: content?.size }, "download ended");
  if (content) await ctx.contents.keep(content.blobId);
}

/** Ends an attempt: the download, or until the next one. */
async function conclude(ctx: Context, attempt: Attempt, outcome: Outcome | undefined): Promise<void> {
  const { doc, token } = attempt;
  const { failures } = doc.fetch!;
  // Such an attempt does not count. Where the claim was lost this changes nothing, as does everything below.
  if (!outcome) return ctx.images.postpone(doc._id, token, 0, failures);
  const again = "again" in outcome && outcome.again && failures + 1 < ctx.config.downloadAttempts;
  if (!again) return finish(ctx, attempt, outcome);
  const pauseMs = pauseAfter(failures + 1, ctx.config.downloadPauseMs);
  return ctx.images.postpone(doc._id, token, pauseMs, failures + 1);
}

async function attemptOnce(ctx: Context, doc: ImageDoc, token: string): Promise<void> {
  const attempt: Attempt = { doc, token };
  using lease = holdLease(ctx, doc._id, token, () => attempt.begun?.sizeBytes);
  const outcome = await fetchContent(ctx, attempt, lease.signal).then(
    (stored): Outcome | undefined => stored && { content: contentOf(stored) },
    (error) => judge(ctx, doc, error, lease.signal),
  );
  await conclude(ctx, attempt, outcome);
  await dropUnwanted(ctx, attempt);
}

/** One pass: attempts the downloads that are due, one after another. Answers how many attempts that were. */
export async function downloadImages(ctx: Context): Promise<number> {
  for (let attempts = 0; ; attempts++) {
    if (ctx.signal.aborted) return attempts;
    const token = randomUUID();
    const doc = await ctx.images.claim(token, ctx.config.downloadLeaseMs);
    if (!doc) return attempts;
    await attemptOnce(ctx, doc, token);
  }
}
