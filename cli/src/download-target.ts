import { createHash } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Failure } from "./exit.js";
import { visible } from "./format/visible.js";

/** Returns the segments of a name. Throws for a name that could leave the folder. */
export function segmentsOf(name: string, platform = process.platform): string[] {
  const segments = name.split("/");
  const unsafe = platform === "win32" ? /[\\:\0]/ : /\0/;
  if (segments.some((segment) => ["", ".", ".."].includes(segment) || unsafe.test(segment)))
    throw new Failure(`"${visible(name)}" was skipped: its name leads out of the folder`);
  return segments;
}

/** Returns the entry at a path, without following a link; undefined if there is none. */
export async function entryAt(path: string) {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

/** Returns the file for a name and creates its folders. Refuses a folder there, and links on the way, which could lead elsewhere. */
export async function targetOf(folder: string, name: string): Promise<string> {
  const segments = segmentsOf(name);
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw ["EEXIST", "ENOTDIR"].includes(error.code ?? "") ? new Failure(`${folder} is not a folder`) : error;
  });
  let path = folder;
  for (const segment of segments.slice(0, -1)) {
    path = join(path, segment);
    const entry = await entryAt(path);
    if (!entry) await mkdir(path);
    else if (!entry.isDirectory()) throw new Failure(`${path} is not a folder`);
  }
  const target = join(path, segments.at(-1)!);
  if ((await entryAt(target))?.isDirectory()) throw new Failure(`${target} is a folder`);
  return target;
}

const maxNameBytes = 255;

/** Returns the file that collects a download until it is complete. The same download finds it again; nothing else is named so. */
export function partialOf(target: string, { path, sha256 }: { readonly path: string; readonly sha256: string | null }) {
  const id = sha256 ?? createHash("sha256").update(path).digest("hex");
  const end = `.${id.slice(0, 16)}.part`;
  const name = Buffer.from(basename(target)).subarray(0, maxNameBytes - end.length);
  // Drops a character that was cut.
  return join(dirname(target), new TextDecoder().decode(name, { stream: true }) + end);
}
