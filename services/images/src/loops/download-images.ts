import { randomUUID } from "node:crypto";
import { Fault, invalid } from "@ci/kit/fault";
import { FetchFailed } from "@ci/kit/fetch-failed";
import { headBytes } from "@ci/kit/qcow2";
import { open } from "@ci/kit/secrets";
import { dropContent, peek, putContent } from "../content.js";
import type { Context } from "../context.js";
import { mayPass, pauseAfter } from "../domain/attempt.js";
import { type ImageDoc, toImage } from "../domain/image.js";
import { contentComplaints } from "../domain/qcow2.js";
import { imageChanged } from "../events.js";
import { contentProblems } from "../examine.js";
import { openHttp } from "../fetch/http.js";
import { openSftp } from "../fetch/sftp.js";
import { holdLease } from "../hold-lease.js";

/** What came of an attempt. */
type Outcome =
  | { readonly content: { readonly blobId: string; readonly size: number; readonly sha256: string } }
  | { readonly reason: string; readonly again: boolean };

/** Fetches, checks and stores the content of an image. Throws FetchFailed, Fault `invalid` or the signal's reason. */
async function fetchContent(ctx: Context, { _id, fetch }: ImageDoc, signal: AbortSignal) {
  const url = new URL(open(ctx.config.keyring, fetch!.sealedUrl, { kind: "image", id: _id }));
  await using source = await (url.protocol === "sftp:" ? openSftp : openHttp)(ctx, url, signal);
  const { head, whole } = await peek(source.bytes, headBytes);
  const [complaint] = contentComplaints(head, ctx.config);
  if (complaint) throw invalid({ file: [complaint] });
  const stored = await putContent(ctx, whole, signal);
  const { blobId, sizeBytes: size, sha256 } = stored;
  const [problem] = await contentProblems(ctx, stored, signal);
  if (!problem) return { blobId, size, sha256 };
  await dropContent(ctx, blobId);
  throw invalid({ file: [problem] });
}

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
async function finish(ctx: Context, doc: ImageDoc, token: string, outcome: Outcome): Promise<void> {
  const finishedAt = ctx.now();
  const content = "content" in outcome ? outcome.content : undefined;
  const error = "reason" in outcome ? outcome.reason : undefined;
  const came = { ...content, download: { ...doc.download!, finishedAt, ...(error ? { error } : {}) } };
  const report = (image: ImageDoc) => imageChanged({ at: finishedAt }, "updated", toImage(image));
  const mine = await ctx.images.finish(doc._id, token, came, report);
  if (mine) ctx.log.info({ image: doc._id, error, sizeBytes: content?.size }, "download ended");
  if (!content) return;
  if (mine) await ctx.contents.keep(content.blobId);
  else await dropContent(ctx, content.blobId);
}

async function attempt(ctx: Context, doc: ImageDoc, token: string): Promise<void> {
  using lease = holdLease(ctx, doc._id, token);
  const outcome = await fetchContent(ctx, doc, lease.signal).then(
    (content) => ({ content }),
    (error) => judge(ctx, doc, error, lease.signal),
  );
  const { failures } = doc.fetch!;
  // Such an attempt does not count. Where the claim was lost this changes nothing, as does everything below.
  if (!outcome) return ctx.images.postpone(doc._id, token, ctx.now(), failures);
  const again = "again" in outcome && outcome.again && failures + 1 < ctx.config.downloadAttempts;
  if (!again) return finish(ctx, doc, token, outcome);
  const dueAt = new Date(ctx.now().getTime() + pauseAfter(failures + 1, ctx.config.downloadPauseMs));
  return ctx.images.postpone(doc._id, token, dueAt, failures + 1);
}

/** One pass: attempts the downloads that are due, one after another. Answers how many attempts that were. */
export async function downloadImages(ctx: Context): Promise<number> {
  for (let attempts = 0; ; attempts++) {
    if (ctx.signal.aborted) return attempts;
    const token = randomUUID();
    const now = ctx.now();
    const doc = await ctx.images.claim(token, now, new Date(now.getTime() + ctx.config.downloadLeaseMs));
    if (!doc) return attempts;
    await attempt(ctx, doc, token);
  }
}
