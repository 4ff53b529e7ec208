import type { FileHandle } from "node:fs/promises";

/** Writes all bytes, at `position` or the file's current one. A full disk may store a part of a write without an error. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position?: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const to = position === undefined ? null : position + at;
    at += (await file.write(bytes, at, bytes.length - at, to)).bytesWritten;
  }
}
