import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { PlacedFile } from "../../../driver.js";

/** A file spooled to our disk: tar needs its size first, and every container of the build may need it. */
export interface SpooledFile {
  readonly path: string;
  readonly mode: number;
  readonly folderMode?: number;
  readonly sizeBytes: number;
  read(): AsyncIterable<Uint8Array>;
  drop(): Promise<void>;
}

export async function spool(
  folder: string,
  { content, ...file }: PlacedFile,
  signal: AbortSignal,
): Promise<SpooledFile> {
  const path = join(folder, randomBytes(8).toString("hex"));
  await pipeline(content, createWriteStream(path, { mode: 0o600, flags: "wx" }), { signal });
  const { size: sizeBytes } = await stat(path);
  return { ...file, sizeBytes, read: () => createReadStream(path), drop: () => rm(path, { force: true }) };
}

export function inMemory(path: string, mode: number, text: string): SpooledFile {
  const bytes = Buffer.from(text);
  return {
    path,
    mode,
    sizeBytes: bytes.length,
    async *read() {
      yield bytes;
    },
    drop: async () => undefined,
  };
}
