import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { headBytes, readHeader } from "@ci/qcow2/header";
import { imageInfo } from "@ci/qcow2/qemu-img";
import { type Range, type Read, survey } from "@ci/qcow2/tables";
import type { Context } from "../context.js";
import { contentComplaints } from "../domain/qcow2.js";

/** The user and group `nobody`: qemu-img only reads a file that is already open. */
const nobody = { uid: 65_534, gid: 65_534 };

/** Returns what is wrong with stored content: first by our own check of header and tables, then by qemu-img's, if installed. */
export async function contentProblems(
  ctx: Pick<Context, "config" | "contents" | "usesQemuImg">,
  { blobId, sizeBytes }: { readonly blobId: string; readonly sizeBytes: number },
  signal: AbortSignal,
): Promise<string[]> {
  const pieces = (offset: number, bytes: number) => ctx.contents.get(blobId, { start: offset, end: offset + bytes });
  const read: Read = async (offset, bytes) => {
    const parts: Buffer[] = [];
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
  if (!ctx.usesQemuImg) return [];
  const file = await openUnlinked();
  try {
    await copyRanges(found.metadata, pieces, file);
    // A sparse file: qemu-img sees the image's size, only metadata takes space.
    await file.truncate(sizeBytes);
    const user = process.getuid?.() === 0 ? nobody : undefined;
    const info = await imageInfo(file, { path: ctx.config.path, user, signal });
    return "problem" in info ? [`File ${info.problem}`] : [];
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

async function copyRanges(
  ranges: readonly Range[],
  pieces: (offset: number, bytes: number) => AsyncIterable<Buffer>,
  to: FileHandle,
): Promise<void> {
  for (const { offset, bytes } of ranges) {
    let at = offset;
    for await (const piece of pieces(offset, bytes)) {
      await to.write(piece, 0, piece.length, at);
      at += piece.length;
    }
  }
}
