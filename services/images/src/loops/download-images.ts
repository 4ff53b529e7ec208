import type { Stored } from "@ci/kit/bytes/blobs";
import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { Fault } from "@ci/kit/rpc/fault";
import type { downloadClaims } from "../actions/claim-download.js";
import { type Attempt, dropUnneeded, fetchContent } from "../actions/fetch-content.js";
import { holdLease } from "../actions/hold-lease.js";
import type { Context } from "../context.js";
import { isTransient, lossComplaint, pauseAfter } from "../domain/attempt.js";
import { imageChanged } from "../domain/events.js";
import { type ImageDoc, toImage } from "../domain/image.js";
import { paceOf } from "../fetch/pace.js";

type Outcome =
  | { readonly content: ReturnType<typeof contentOf> }
  | { readonly reason: string; readonly retry: boolean };

const contentOf = ({ blobId, sizeBytes: size, sha256 }: Stored) => ({ blobId, size, sha256 });

/** Returns why an attempt failed, as shown to the image's owner; undefined if it was aborted. */
function failureOf(ctx: Context, doc: ImageDoc, error: unknown, signal: AbortSignal): Outcome | undefined {
  if (signal.aborted && !(signal.reason instanceof FetchFailed)) return undefined;
  if (error instanceof FetchFailed) return { reason: error.reason, retry: isTransient(error.reason) };
  const [complaint] = (error instanceof Fault && error.fields?.file) || [];
  if (complaint) return { reason: complaint, retry: false };
  ctx.log.error({ err: error, image: doc._id }, "download failed unexpectedly");
  return { reason: "internal error", retry: true };
}

async function finish(ctx: Context, { doc, token, upload, total }: Attempt, outcome: Outcome): Promise<void> {
  const finishedAt = ctx.now();
  const content = "content" in outcome ? outcome.content : undefined;
  const error = "reason" in outcome ? outcome.reason : undefined;
  const progress = upload ? { received: upload.sizeBytes, total } : {};
  const set = { ...content, download: { ...doc.download!, ...progress, finishedAt, ...(error ? { error } : {}) } };
  const report = (image: ImageDoc) => imageChanged({ at: finishedAt }, "updated", toImage(image));
  const store = () => ctx.images.finish(doc._id, token, set, report);
  if (!(await (content ? ctx.images.finishWithin(doc, content.size, store) : store()))) return;
  ctx.log.info({ image: doc._id, error, sizeBytes: content?.size }, "download ended");
  if (content) await ctx.contents.keep(content.blobId);
}

/** Finishes a download. If the content exceeds a quota by now, its failure is the result. */
async function finishOrFail(ctx: Context, attempt: Attempt, outcome: Outcome): Promise<void> {
  try {
    await finish(ctx, attempt, outcome);
  } catch (error) {
    const [reason] = (error instanceof Fault && error.fields?.file) || [];
    if (reason === undefined) throw error;
    await finish(ctx, attempt, { reason, retry: false });
  }
}

/** Ends an attempt: finishes the download or schedules the next attempt. Changes nothing if the lease was lost. */
async function conclude(ctx: Context, attempt: Attempt, outcome: Outcome | undefined): Promise<void> {
  const { doc, token } = attempt;
  const { failures } = doc.fetch!;
  // An aborted attempt does not count as a failure.
  if (!outcome) return ctx.images.postpone(doc._id, token, 0, failures);
  const retry = "retry" in outcome && outcome.retry && failures + 1 < ctx.config.downloadAttempts;
  if (!retry) return finishOrFail(ctx, attempt, outcome);
  const pauseMs = pauseAfter(failures + 1, ctx.config.downloadPauseMs);
  return ctx.images.postpone(doc._id, token, pauseMs, failures + 1);
}

async function outcomeOf(ctx: Context, attempt: Attempt, signal: AbortSignal): Promise<Outcome | undefined> {
  const reason = lossComplaint(attempt.doc.fetch!.lost);
  if (reason) return { reason, retry: false };
  try {
    const stored = await fetchContent(ctx, attempt, signal);
    return stored && { content: contentOf(stored) };
  } catch (error) {
    return failureOf(ctx, attempt.doc, error, signal);
  }
}

async function runAttempt(ctx: Context, doc: ImageDoc, token: string): Promise<void> {
  const attempt: Attempt = { doc, token, pace: paceOf(ctx.config.downloadStallMs) };
  using lease = holdLease(ctx, attempt);
  await conclude(ctx, attempt, await outcomeOf(ctx, attempt, lease.signal));
  await dropUnneeded(ctx, attempt);
}

/** Attempts all downloads that `claim` finds, one after another. Returns the number of attempts. */
export async function downloadImages(ctx: Context, claim: ReturnType<typeof downloadClaims>): Promise<number> {
  for (let attempts = 0; ; attempts++) {
    if (ctx.signal.aborted) return attempts;
    using claimed = await claim();
    if (!claimed) return attempts;
    await runAttempt(ctx, claimed.doc, claimed.token);
  }
}
