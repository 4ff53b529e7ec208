import type { Client } from "@service-ci/client";
import { download, type Wanted } from "./download.js";
import { targetOf } from "./download-target.js";
import { visible } from "./format/visible.js";
import { type Io, note, print } from "./io.js";
import { progressOf } from "./progress.js";

interface Saving {
  readonly into: string;
  readonly force: boolean;
}

/** Downloads content to a file with its name, and shows the progress. Prints the file's path, unless JSON is printed. */
export async function saveContent(io: Io, client: Client, wanted: Wanted, { into, force }: Saving): Promise<void> {
  const { name, sizeBytes } = wanted;
  const target = await targetOf(into, name);
  const progress = progressOf(io, name, sizeBytes);
  const options = { client, signal: io.signal, force, onProgress: progress.update };
  const isNew = await download(wanted, target, options).finally(progress.clear);
  if (io.options.json) return;
  if (isNew) await print(io, visible(target));
  else note(io, `${target} already exists`);
}
