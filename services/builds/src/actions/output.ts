import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import type { BuildDoc } from "../domain/build.js";
import { lastBytes } from "../domain/change.js";
import type { WithOutput } from "../store/output.js";

/** Returns the index of a job by name; undefined if no name is given, which means the whole build. */
export function jobIndex(doc: Pick<BuildDoc, "jobs">, name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  const index = doc.jobs.findIndex((job) => job.name === name);
  if (index < 0) throw notFound();
  return index;
}

type Grown = Pick<BuildDoc, "outputBytes" | "status">;

export const progress = (doc: Grown & Partial<Pick<BuildDoc, "jobs">>, job: number | undefined) =>
  job === undefined
    ? { bytes: doc.outputBytes, status: doc.status }
    : { bytes: doc.jobs![job]!.outputBytes, status: doc.jobs![job]!.status };

/** Returns how many bytes at the start continue a UTF-8 character (10xxxxxx). */
export function continuationBytes(bytes: Buffer): number {
  let count = 0;
  while (count < bytes.length && (bytes[count]! & 0xc0) === 0x80) count++;
  return count;
}

/** Returns how many bytes there are without a character that is cut at the end; all if there is nothing else. */
export function completeBytes(bytes: Buffer): number {
  let lead = bytes.length - 1;
  while (lead > 0 && lead > bytes.length - 4 && (bytes[lead]! & 0xc0) === 0x80) lead--;
  const first = bytes[lead] ?? 0;
  const length = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return lead > 0 && lead + length > bytes.length ? lead : bytes.length;
}

/** Returns the end of a build's or job's output, cut at a character border; undefined if there is none. */
export async function outputEnd(
  ctx: Pick<Context, "output">,
  doc: Grown & WithOutput & Partial<Pick<BuildDoc, "jobs">>,
  limitBytes: number,
  job?: number,
): Promise<string | undefined> {
  const { bytes: end } = progress(doc, job);
  const pieces: Buffer[] = [];
  for await (const piece of ctx.output.read(doc, { job, start: Math.max(0, end - limitBytes), end }))
    pieces.push(piece);
  const all = Buffer.concat(pieces);
  return lastBytes(all.subarray(continuationBytes(all)).toString(), limitBytes);
}
