import { posix } from "node:path";
import type { CheckedOut } from "@ci/git/checkout";
import { sizeText } from "@ci/kit/bytes/size-text";
import { pacer } from "@ci/kit/turns/pacer";
import { type Header, pack } from "tar-stream";
import { maxPathLength } from "../driver.js";
import { tooLongText } from "./too-long-text.js";

const modes = { file: 0o644, executable: 0o755, link: 0o777, folder: 0o755 } as const;
/** What a file, link or folder counts besides its content and its path. */
const entryBytes = 1_024;
const sliceBytes = 256 * 1024;
/** No header holds a longer path: it needs an extension, which tar-stream otherwise finds out in quadratic time. */
const longPath = 256;

type Entry = Pick<Header, "name"> & Partial<Header>;

function entryOf({ path, kind, data }: CheckedOut, directory: string): Entry {
  const name = posix.join(directory, path);
  const entry: Entry = { name, mode: modes[kind], ...(name.length > longPath ? { pax: {} } : {}) };
  if (kind === "folder") return { ...entry, name: `${name}/`, type: "directory" };
  if (kind !== "link") return { ...entry, type: "file", size: data.length };
  if (data.length === 0) throw new Error("a link has no target");
  if (data.length > maxPathLength) throw new Error(tooLongText("target of a link"));
  return { ...entry, type: "symlink", linkname: data.toString() };
}

const tooLarge = (limitBytes: number): Error =>
  new Error(`it is larger than ${sizeText(limitBytes)}, the limit of CLONE_LIMIT`);

/** Yields a tar archive of a folder, piece by piece. Holds one file at a time. */
export async function* sourceArchive(
  files: AsyncIterable<CheckedOut>,
  directory: string,
  limitBytes: number,
): AsyncGenerator<Buffer> {
  const archive = pack({ highWaterMark: Number.POSITIVE_INFINITY });
  const pace = pacer(sliceBytes);
  const add = (entry: Entry, data: Buffer) =>
    new Promise<void>((resolve, reject) => {
      const added = (error?: Error | null) => (error ? reject(error) : resolve());
      if (entry.type === "file") archive.entry(entry, data, added);
      else archive.entry(entry, added);
    });
  let bytes = 0;
  try {
    await add({ name: `${directory}/`, type: "directory", mode: modes.folder }, Buffer.alloc(0));
    for await (const file of files) {
      const { path, data } = file;
      const counted = entryBytes + Buffer.byteLength(path) + data.length;
      // One content may be that of many files.
      bytes += counted;
      if (bytes > limitBytes) throw tooLarge(limitBytes);
      await add(entryOf(file, directory), data);
      for (let piece = archive.read(); piece !== null; piece = archive.read()) yield piece as Buffer;
      await pace(counted);
    }
    archive.finalize();
    yield* archive as AsyncIterable<Buffer>;
  } finally {
    archive.destroy();
  }
}
