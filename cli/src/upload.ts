import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { UsageError } from "./exit.js";
import type { Fields } from "./format/cells.js";
import { type Io, throwUnreadable } from "./io.js";
import { progressOf } from "./progress.js";
import type { Session } from "./session.js";

type Query = Readonly<Record<string, string>>;

/** Uploads a file, or standard input for `-`, and shows its progress. Returns the record. */
export async function uploadFrom(
  io: Io,
  { client }: Session,
  path: string,
  query: Query,
  file: string,
): Promise<Fields> {
  if ("download_url" in query) throw new UsageError("Name a file or --download-url, not both");
  const entry = file === "-" ? undefined : await stat(file).catch((error) => throwUnreadable(file, error));
  if (entry?.isDirectory()) throw new UsageError(`${file} is a folder. Name a file`);
  const content = Readable.toWeb(file === "-" ? io.stdin : createReadStream(file)) as ReadableStream<Uint8Array>;
  const progress = progressOf(io, query.name ?? file, entry?.isFile() ? entry.size : undefined);
  const options = { signal: io.signal, onProgress: progress.update };
  return client.upload<Fields>(path, query, content, options).finally(progress.clear);
}
