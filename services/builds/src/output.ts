import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "./context.js";
import type { BuildDoc } from "./domain/build.js";
import { lastBytes } from "./domain/change.js";

/** The index of the job whose text is asked for; undefined for the whole build. */
export function jobIndex(doc: BuildDoc, name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  const index = doc.jobs.findIndex((job) => job.name === name);
  if (index < 0) throw notFound();
  return index;
}

/** How far the text of a build, or of one of its jobs, has come, and in which state that is. */
export const progress = (doc: BuildDoc, job: number | undefined) =>
  job === undefined
    ? { bytes: doc.outputBytes, status: doc.status }
    : { bytes: doc.jobs[job]!.outputBytes, status: doc.jobs[job]!.status };

/** Bytes 10xxxxxx continue a character: how many of them stand at the start. */
export function continuation(bytes: Buffer): number {
  let count = 0;
  while (count < bytes.length && (bytes[count]! & 0xc0) === 0x80) count++;
  return count;
}

/** The last bytes a build or one of its jobs has written, cut at a character border; undefined before the first. */
export async function outputEnd(
  ctx: Pick<Context, "output">,
  doc: BuildDoc,
  limitBytes: number,
  job?: number,
): Promise<string | undefined> {
  const { bytes: end } = progress(doc, job);
  const pieces: Buffer[] = [];
  for await (const piece of ctx.output.read(doc, { job, start: Math.max(0, end - limitBytes), end }))
    pieces.push(piece);
  const all = Buffer.concat(pieces);
  return lastBytes(all.subarray(continuation(all)).toString(), limitBytes);
}
