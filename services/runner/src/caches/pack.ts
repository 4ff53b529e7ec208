import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { sizeText } from "@ci/kit/bytes/size-text";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault } from "@ci/kit/rpc/fault";
import { extract, type Header, type Pack, pack } from "tar-stream";
import type { Layout, Tree } from "../driver.js";
import { clashesWith, headerOf, type Skip } from "./names.js";

/** Since format 2, archives hold no objects and keys of builds. */
export const archiveFormat = 2;

const maxFiles = fixedLimit({
  max: 200_000,
  about: "files, folders and links in an entry of a cache",
  effect: "the build's output says that nothing was stored",
});

export interface Packing {
  readonly layout: Layout;
  /** The names below which entries may lie. */
  readonly wanted: readonly string[];
  /** The names of files to leave out. */
  readonly placed?: readonly string[];
  readonly limitBytes: number;
  readonly signal: AbortSignal;
}

export interface Packed {
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly files: number;
  readonly skipped: ReadonlyMap<Skip, number>;
}

interface Count {
  bytes: number;
  files: number;
}

interface Counts extends Count {
  readonly skipped: Map<Skip, number>;
  /** What is left out, which a guest can send without end. */
  readonly leftOut: Count;
}

interface Entry extends AsyncIterable<Uint8Array> {
  readonly header: Header;
  resume(): void;
}

const blockBytes = 512;

/** Throws before the content of a file is read that exceeds a limit: a sparse file may pretend to be huge. */
function count(
  counts: Count,
  { name, linkname, size = 0 }: Partial<Header> & Pick<Header, "name">,
  limitBytes: number,
): void {
  counts.files++;
  const longBytes = Math.max(0, Buffer.byteLength(`${name}${linkname ?? ""}`) - blockBytes / 2);
  counts.bytes += blockBytes + longBytes + Math.ceil(size / blockBytes) * blockBytes;
  if (counts.bytes > limitBytes) throw new Fault("invalid", `larger than ${sizeText(limitBytes)}`);
  if (counts.files > maxFiles) throw new Fault("invalid", `more than ${maxFiles} files`);
}

async function addTree(archive: Pack, { folder, content }: Tree, counts: Counts, options: Packing): Promise<void> {
  const clashes = clashesWith(options.placed ?? []);
  const entries = extract();
  // What iterates gets the error. The stream also emits it when the iteration has ended early.
  entries.on("error", () => undefined);
  const piped = pipeline(content, entries, { signal: options.signal });
  piped.catch((error) => entries.destroy(error));
  for await (const entry of entries as AsyncIterable<unknown> as AsyncIterable<Entry>) {
    const found = headerOf(entry.header, folder, options.wanted, options.layout);
    const isPlaced = typeof found === "object" && clashes(found);
    const header = isPlaced ? "files that the build places" : found;
    if (header === undefined || typeof header === "string") {
      count(counts.leftOut, entry.header, options.limitBytes);
      if (header) counts.skipped.set(header, (counts.skipped.get(header) ?? 0) + 1);
      entry.resume();
      continue;
    }
    count(counts, header, options.limitBytes);
    if (header.type === "file") await pipeline(entry, archive.entry(header));
    else {
      entry.resume();
      archive.entry(header);
    }
  }
  await piped;
}

/** Writes what lies in these trees into one archive, in the file `to`. Throws a Fault if there is too much. */
export async function packTrees(trees: AsyncIterable<Tree>, to: string, options: Packing): Promise<Packed> {
  const counts: Counts = { bytes: 0, files: 0, skipped: new Map(), leftOut: { bytes: 0, files: 0 } };
  const archive = pack();
  archive.on("error", () => undefined);
  const hash = createHash("sha256");
  let sizeBytes = 0;
  async function* hashed(parts: AsyncIterable<Uint8Array>) {
    for await (const part of parts) {
      hash.update(part);
      sizeBytes += part.length;
      yield part;
    }
  }
  const file = createWriteStream(to, { flags: "wx", mode: 0o600 });
  const written = pipeline(archive as AsyncIterable<Uint8Array>, hashed, file, { signal: options.signal });
  written.catch((error) => archive.destroy(error));
  try {
    for await (const tree of trees) await addTree(archive, tree, counts, options);
    archive.finalize();
    await written;
  } catch (error) {
    archive.destroy();
    // A failure to write is the cause of what failed after it.
    await written.catch((cause) => {
      if ((cause as NodeJS.ErrnoException).code?.startsWith("E") && "errno" in cause) throw cause;
    });
    throw error;
  }
  return { sizeBytes, sha256: hash.digest("hex"), files: counts.files, skipped: counts.skipped };
}
