import type { Stored, UploadState } from "@ci/kit/bytes/blobs";
import { abortable } from "@ci/kit/bytes/chunked";
import { invalid } from "@ci/kit/rpc/fault";
import { decrypt } from "@ci/kit/security/secrets";
import { headBytes } from "@ci/qcow2/header";
import type { Context } from "../context.js";
import type { ImageDoc } from "../domain/image.js";
import { contentComplaints } from "../domain/qcow2.js";
import { openHttp } from "../fetch/http.js";
import type { Pace } from "../fetch/pace.js";
import { openSftp } from "../fetch/sftp.js";
import { dropContent, peek, putOptions } from "./content.js";
import { contentProblems } from "./examine.js";

/** One attempt at a download, and the content that it stores. */
export interface Attempt {
  readonly doc: ImageDoc;
  readonly token: string;
  readonly pace: Pace;
  upload?: UploadState;
  total?: number | undefined;
}

async function openSource(ctx: Context, { doc: { _id, fetch }, pace }: Attempt, signal: AbortSignal) {
  const url = new URL(decrypt(ctx.config.keyring, fetch!.sealedUrl, { kind: "image", id: _id }));
  const { partial } = fetch!;
  const stored = partial && (await ctx.contents.resume(partial.blobId, signal));
  const rest = stored && stored.sizeBytes > 0 ? { from: stored.sizeBytes, validator: partial.validator } : undefined;
  const source = await pace.until((url.protocol === "sftp:" ? openSftp : openHttp)(ctx, url, signal, rest));
  return { source, bytes: pace.through(source.bytes), resumed: source.from > 0 ? stored : undefined };
}

/** Checks the first bytes, so that nothing of a file that is no image is stored. */
async function checked(
  ctx: Context,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const { head, whole } = await peek(abortable(signal, bytes), headBytes);
  const [complaint] = contentComplaints(head, ctx.config);
  if (complaint) throw invalid({ file: [complaint] });
  return whole;
}

/** Stores and checks an image's content; undefined if the lease was lost. Throws FetchFailed, Fault or the signal's reason. */
export async function fetchContent(ctx: Context, attempt: Attempt, signal: AbortSignal): Promise<Stored | undefined> {
  const { doc, token } = attempt;
  const { source, bytes: sent, resumed } = await openSource(ctx, attempt, signal);
  await using _closesAtEnd = source;
  const options = await putOptions(ctx, doc.userId, signal);
  if (source.total !== undefined && source.total > options.maxBytes) throw options.tooLarge();
  const bytes = resumed ? sent : await checked(ctx, sent, signal);
  const upload = resumed ?? (await ctx.contents.begin());
  Object.assign(attempt, { upload, total: source.total });
  const partial = source.validator === undefined ? undefined : { blobId: upload.blobId, validator: source.validator };
  const progress = { received: upload.sizeBytes, total: source.total };
  if (!(await ctx.images.beginTransfer(doc._id, token, progress, partial))) return undefined;
  const stored = await ctx.contents.append(upload, bytes, options);
  const [problem] = await contentProblems(ctx, stored, doc.userId, signal);
  if (problem) throw invalid({ file: [problem] });
  return stored;
}

/** Deletes content of this or the previous attempt that no image needs. If that fails, the sweep does it. */
export async function dropUnneeded(ctx: Context, { doc, upload }: Attempt): Promise<void> {
  for (const blobId of new Set([doc.fetch?.partial?.blobId, upload?.blobId])) {
    // This is no race: content that is not needed now will never be needed.
    if (blobId === undefined || (await ctx.images.needs(blobId))) continue;
    await dropContent(ctx, blobId);
  }
}
