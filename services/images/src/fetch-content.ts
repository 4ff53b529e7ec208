import type { Begun, Stored } from "@ci/kit/bytes/blobs";
import { invalid } from "@ci/kit/rpc/fault";
import { decrypt } from "@ci/kit/security/secrets";
import { headBytes } from "@ci/qcow2/header";
import { dropContent, peek, storing } from "./content.js";
import type { Context } from "./context.js";
import type { ImageDoc } from "./domain/image.js";
import { contentComplaints } from "./domain/qcow2.js";
import { contentProblems } from "./examine.js";
import { openHttp } from "./fetch/http.js";
import { openSftp } from "./fetch/sftp.js";

/** One attempt at a download, and what it has so far. */
export interface Attempt {
  readonly doc: ImageDoc;
  readonly token: string;
  begun?: Begun;
  total?: number | undefined;
}

/** Asks for the content of an image, or for the rest of what an attempt before has stored. */
async function ask(ctx: Context, { _id, fetch }: ImageDoc, signal: AbortSignal) {
  const url = new URL(decrypt(ctx.config.keyring, fetch!.sealedUrl, { kind: "image", id: _id }));
  const { partial } = fetch!;
  const there = partial && (await ctx.contents.resume(partial.blobId, signal));
  const rest = there && there.sizeBytes > 0 ? { from: there.sizeBytes, validator: partial.validator } : undefined;
  const source = await (url.protocol === "sftp:" ? openSftp : openHttp)(ctx, url, signal, rest);
  return { source, there: source.from > 0 ? there : undefined };
}

/** Content that does not begin like an image is not stored at all. */
async function checked(ctx: Context, bytes: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const { head, whole } = await peek(bytes, headBytes);
  const [complaint] = contentComplaints(head, ctx.config);
  if (complaint) throw invalid({ file: [complaint] });
  return whole;
}

/**
 * Fetches, stores and checks the content of an image; undefined if the download is not this attempt's any more. Throws
 * FetchFailed, Fault `invalid` or the signal's reason; what is stored by then may be continued by another attempt if the
 * image says so.
 */
export async function fetchContent(ctx: Context, attempt: Attempt, signal: AbortSignal): Promise<Stored | undefined> {
  const { doc, token } = attempt;
  const { source, there } = await ask(ctx, doc, signal);
  await using _hangsUp = source;
  const options = storing(ctx, signal);
  if (source.total !== undefined && source.total > options.maxBytes) throw options.tooLarge();
  const bytes = there ? source.bytes : await checked(ctx, source.bytes);
  const begun = there ?? (await ctx.contents.begin());
  Object.assign(attempt, { begun, total: source.total });
  const partial = source.validator === undefined ? undefined : { blobId: begun.blobId, validator: source.validator };
  const progress = { received: begun.sizeBytes, total: source.total };
  if (!(await ctx.images.comes(doc._id, token, progress, partial))) return undefined;
  const stored = await ctx.contents.append(begun, bytes, options);
  const [problem] = await contentProblems(ctx, stored, signal);
  if (problem) throw invalid({ file: [problem] });
  return stored;
}

/** Removes what an attempt has stored, or found, and what is of no use any more. Should that fail, the sweep does it. */
export async function dropUnwanted(ctx: Context, { doc, begun }: Attempt): Promise<void> {
  for (const blobId of new Set([doc.fetch?.partial?.blobId, begun?.blobId])) {
    // Nothing is wanted again that was not wanted once.
    if (blobId === undefined || (await ctx.images.wants(blobId))) continue;
    await dropContent(ctx, blobId);
  }
}
