import { lstat, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "./exit.js";
import { visible } from "./format/visible.js";

/** Returns the segments of a name. Throws for a name that could leave the folder. */
export function segmentsOf(name: string, platform = process.platform): string[] {
  const segments = name.split("/");
  const unsafe = platform === "win32" ? /[\\:\0]/ : /\0/;
  if (segments.some((segment) => ["", ".", ".."].includes(segment) || unsafe.test(segment)))
    throw new Failure(`"${visible(name)}" was left out: its name leads out of the folder`);
  return segments;
}

/** Returns what is at a path, without following a link; undefined if nothing is. */
export async function entryAt(path: string) {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

/** Returns the file for a name and makes its folders. A link among them could lead elsewhere, so it is refused. */
export async function targetOf(folder: string, name: string): Promise<string> {
  const segments = segmentsOf(name);
  await mkdir(folder, { recursive: true });
  let path = folder;
  for (const segment of segments.slice(0, -1)) {
    path = join(path, segment);
    const entry = await entryAt(path);
    if (!entry) await mkdir(path);
    else if (!entry.isDirectory()) throw new Failure(`${path} is not a folder`);
  }
  return join(path, segments.at(-1)!);
}
