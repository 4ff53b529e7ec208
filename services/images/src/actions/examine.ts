import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { abortable } from "@ci/kit/bytes/chunked";
import { writeAll } from "@ci/kit/bytes/write-all";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { fairly } from "@ci/kit/turns/fairly";
import { headBytes, readHeader, unreadable } from "@ci/qcow2/header";
import { type Info, imageInfo } from "@ci/qcow2/qemu-img";
import { type Range, type Read, survey } from "@ci/qcow2/tables";
import type { Context } from "../context.js";
import { contentComplaints } from "../domain/qcow2.js";

/** The user and group `nobody`: qemu-img only reads a file that is already open. */
const nobody = { uid: 65_534, gid: 65_534 };

const maxCopies = fixedLimit({
  max: 4,
  about: "new images that qemu-img describes at once, half of them at most of one user",
  effect: "further ones wait",
});
const tooLarge = `File ${unreadable("its tables are too large together")}`;
const busy = "Too many new images wait for qemu-img; try again later";
const maxWaiting = fixedLimit({ max: 1_000, about: "new images of one user that wait for qemu-img", refusal: busy });
/** `/tmp` may be in memory, and so may a copy. */
const maxCopyBytes = fixedLimit({
  max: 32 * 1024 ** 2,
  unit: "bytes",
  about: "tables of a new image, together",
  refusal: tooLarge,
});
const inTurn = fairly<number>(maxCopies, maxWaiting, busy);

/** Returns what is wrong with stored content: first by our own check of header and tables, then by qemu-img's, if installed. */
export async function contentProblems(
  ctx: Pick<Context, "config" | "contents" | "usesQemuImg">,
  { blobId, sizeBytes }: { readonly blobId: string; readonly sizeBytes: number },
  ownerId: number,
  signal: AbortSignal,
): Promise<string[]> {
  const pieces: Pieces = (offset, bytes) =>
    abortable(signal, ctx.contents.get(blobId, { start: offset, end: offset + bytes }));
  const read: Read = async (offset, bytes) => {
    const parts: Uint8Array[] = [];
    for await (const part of pieces(offset, bytes)) parts.push(part);
    return Buffer.concat(parts);
  };
  const head = await read(0, headBytes);
  const complaints = contentComplaints(head, ctx.config);
  const header = readHeader(head);
  // Content too short for a header is accepted, but no build can boot it.
  if (complaints.length > 0 || !header) return complaints;
  const found = await survey(header, sizeBytes, read);
  if ("problem" in found) return [`File ${found.problem}`];
  const { metadata } = found;
  if (metadata.reduce((sum, { bytes }) => sum + bytes, 0) > maxCopyBytes) return [tooLarge];
  if (!ctx.usesQemuImg) return [];
  const described = () => qemuImgInfo(metadata, sizeBytes, pieces, { path: ctx.config.path, signal });
  const info = await inTurn(ownerId, described, signal).catch((error) => {
    signal.throwIfAborted();
    throw error;
  });
  return "problem" in info ? [`File ${info.problem}`] : [];
}

type Pieces = (offset: number, bytes: number) => AsyncIterable<Uint8Array>;

/** Returns what qemu-img says about a copy of the metadata. */
async function qemuImgInfo(
  metadata: readonly Range[],
  sizeBytes: number,
  pieces: Pieces,
  on: { readonly path: string; readonly signal: AbortSignal },
): Promise<Info> {
  const file = await openUnlinked();
  try {
    await copyRanges(metadata, pieces, file);
    // A sparse file: qemu-img sees the image's size, only metadata takes space.
    await file.truncate(sizeBytes);
    const user = process.getuid?.() === 0 ? nobody : undefined;
    return await imageInfo(file, { ...on, user });
  } finally {
    await file.close();
  }
}

/** Opens an unlinked temporary file. It vanishes when closed; any process that inherits it may read it. */
async function openUnlinked(): Promise<FileHandle> {
  const path = join(tmpdir(), `service-ci-image.${randomUUID()}`);
  const file = await open(path, "wx+", 0o444);
  await unlink(path);
  return file;
}

async function copyRanges(ranges: readonly Range[], pieces: Pieces, to: FileHandle): Promise<void> {
  for (const { offset, bytes } of ranges) {
    let at = offset;
    for await (const piece of pieces(offset, bytes)) {
      await writeAll(to, piece, at);
      at += piece.length;
    }
  }
}
