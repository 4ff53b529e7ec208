import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { headBytes, readHeader } from "@ci/qcow2/header";
import { imageInfo } from "@ci/qcow2/qemu-img";
import { type Range, type Read, survey } from "@ci/qcow2/tables";
import type { Context } from "./context.js";
import { contentComplaints } from "./domain/qcow2.js";

/** Nobody: qemu-img needs no rights but to read what it is given. */
const nobody = { uid: 65_534, gid: 65_534 };

/** What is wrong with stored content. Header and tables by ourselves first, then qemu-img is asked, if there is one. */
export async function contentProblems(
  ctx: Pick<Context, "config" | "contents" | "asksQemuImg">,
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
  // What is too short for a header may be an image; no build can use it.
  if (complaints.length > 0 || !header) return complaints;
  const found = await survey(header, sizeBytes, read);
  if ("problem" in found) return [`File ${found.problem}`];
  if (!ctx.asksQemuImg) return [];
  const file = await scratch();
  try {
    await copyRanges(found.metadata, pieces, file);
    // As long as the image, but only what was written takes room.
    await file.truncate(sizeBytes);
    const user = process.getuid?.() === 0 ? nobody : undefined;
    const told = await imageInfo(file, { path: ctx.config.path, user, signal });
    return "problem" in told ? [`File ${told.problem}`] : [];
  } finally {
    await file.close();
  }
}

/** A file without a name: it ends with us. Whoever gets it opened may read it. */
async function scratch(): Promise<FileHandle> {
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
