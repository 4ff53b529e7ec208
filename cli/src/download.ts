import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@service-ci/client";
import { entryAt, partialOf } from "./download-target.js";
import { Failure } from "./exit.js";
import { mayPass } from "./retry.js";

/** Content on the server, with its size and hash if known. */
export interface Wanted {
  readonly path: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  /** The server's Last-Modified. The file gets it, so that a later download knows whose content it holds. */
  readonly lastModified?: string | undefined;
}

interface DownloadOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Replaces a file that differs. */
  readonly force: boolean;
  readonly onProgress: (bytes: number) => void;
}

const maxFailures = 5;
const firstPauseMs = 200;

async function hashFile(path: string): Promise<Hash> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash;
}

const isDated = ({ lastModified }: Wanted, { mtimeMs }: { readonly mtimeMs: number }): boolean =>
  lastModified !== undefined && Date.parse(lastModified) === mtimeMs;

/** Reports whether a target already holds the content. Throws if it holds something else, or may do so. */
async function isThere(wanted: Wanted, target: string, force: boolean): Promise<boolean> {
  const { name, sizeBytes, sha256 } = wanted;
  const entry = await entryAt(target);
  if (!entry) return false;
  const hasSize = entry.isFile() && entry.size === sizeBytes;
  if (hasSize && (sha256 === null ? isDated(wanted, entry) : (await hashFile(target)).digest("hex") === sha256))
    return true;
  if (force && entry.isFile()) return false;
  const difference = hasSize && sha256 === null ? "may differ" : "differs";
  throw new Failure(`${target} exists and ${difference} from ${name} on the server. Use --force to replace it`);
}

async function emptied(file: FileHandle): Promise<number> {
  await file.truncate(0);
  return 0;
}

/** Appends the missing rest to a partial file. */
async function append(file: FileHandle, wanted: Wanted, options: DownloadOptions): Promise<void> {
  const { path, name, sizeBytes, lastModified } = wanted;
  const { client, signal, onProgress } = options;
  const { size } = await file.stat();
  let offset = size > sizeBytes ? await emptied(file) : size;
  if (offset === sizeBytes) return;
  const condition = lastModified === undefined ? {} : { "If-Range": lastModified };
  const part = offset > 0 ? { Range: `bytes=${offset}-`, ...condition } : {};
  const response = await client.request(path, { headers: { Accept: "application/octet-stream", ...part }, signal });
  const { body, status } = response;
  if (lastModified !== undefined && response.headers.get("Last-Modified") !== lastModified) {
    await body?.cancel();
    throw new Failure(`${name} has changed since the download began. Run the command again`);
  }
  if (offset > 0 && status !== 206) offset = await emptied(file);
  onProgress(offset);
  for await (const chunk of body ?? []) {
    for (let at = 0; at < chunk.byteLength; )
      at += (await file.write(chunk, at, chunk.byteLength - at, offset + at)).bytesWritten;
    offset += chunk.byteLength;
    onProgress(offset);
  }
}

/** Downloads to a partial file. Reconnects after a lost connection; gives up if nothing more arrives. */
async function fill(partial: string, wanted: Wanted, options: DownloadOptions): Promise<void> {
  const entry = await entryAt(partial);
  if (entry && !entry.isFile()) throw new Failure(`${partial} is in the way`);
  const file = await open(partial, entry ? "r+" : "wx");
  const { lastModified } = wanted;
  try {
    if (entry && lastModified !== undefined && !isDated(wanted, entry)) await emptied(file);
    let before = -1;
    for (let failures = 0; ; ) {
      try {
        await append(file, wanted, options);
        if ((await file.stat()).size >= wanted.sizeBytes) return;
      } catch (error) {
        if (options.signal.aborted || !mayPass(error) || failures >= maxFailures) throw error;
      }
      const { size } = await file.stat();
      failures = size > before ? 1 : failures + 1;
      before = size;
      if (failures > maxFailures) throw new Failure(`${wanted.name} ended early. Run the command again to continue`);
      await delay(firstPauseMs * 2 ** failures, undefined, { signal: options.signal });
    }
  } finally {
    if (lastModified !== undefined) await file.utimes(new Date(lastModified), new Date(lastModified));
    await file.close();
  }
}

/** Downloads content to a file and verifies it. Continues a partial download. Returns false if the file was complete. */
export async function download(wanted: Wanted, target: string, options: DownloadOptions): Promise<boolean> {
  if (await isThere(wanted, target, options.force)) return false;
  const partial = partialOf(target, wanted);
  await fill(partial, wanted, options);
  if (wanted.sha256 !== null && (await hashFile(partial)).digest("hex") !== wanted.sha256) {
    await rm(partial);
    throw new Failure(`${wanted.name} has a wrong hash and was deleted. Run the command again`);
  }
  await rename(partial, target);
  return true;
}
