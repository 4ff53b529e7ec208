import { notFound } from "@ci/kit/rpc/fault";
import type { Build_Status } from "@ci/proto/builds/v1/builds";
import type { Context } from "../../context.js";
import { type BuildDoc, isFinal, type JobDoc } from "../../domain/build.js";
import { continuationBytes, lastBytes } from "../../domain/characters.js";
import { newline } from "../../domain/timed-lines.js";
import type { FollowedBuild } from "../../store/followed-builds.js";
import type { OutputRange, WithOutput } from "../../store/output.js";

interface WithJobs {
  readonly jobs: readonly Pick<JobDoc, "name" | "status" | "outputBytes">[];
}

/** Returns the index of a job by name; undefined if no name is given, which means the whole build. */
export function jobIndex(doc: WithJobs, name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  const index = doc.jobs.findIndex((job) => job.name === name);
  if (index < 0) throw notFound();
  return index;
}

type Grown = Pick<BuildDoc, "outputBytes" | "status">;

export const progress = (doc: Grown & Partial<WithJobs>, job: number | undefined) =>
  job === undefined
    ? { bytes: doc.outputBytes, status: doc.status }
    : { bytes: doc.jobs![job]!.outputBytes, status: doc.jobs![job]!.status };

/** Returns the status with which an output ends; undefined while it may grow. A service prints until its build ends. */
export function endOf(build: FollowedBuild, job: number | undefined): Build_Status | undefined {
  const { status } = progress(build, job);
  const isService = job !== undefined && build.steps[job]?.service !== undefined;
  return isFinal(isService ? build.status : status) ? status : undefined;
}

/** Reports whether a line begins at a place of an output. */
export async function beginsLine(
  { output }: Pick<Context, "output">,
  doc: WithOutput,
  { job, start }: Pick<OutputRange, "job" | "start">,
): Promise<boolean> {
  return start === 0 || (await output.next(doc, { job, start: start - 1, end: start }, 1))[0] === newline;
}

/** Returns the number of the line to which an offset of a job's output belongs; undefined if MongoDB takes too long. */
export async function lineAt(
  { output }: Pick<Context, "output">,
  doc: WithOutput,
  job: number,
  offset: number,
): Promise<number | undefined> {
  const stored = await output.breaksBefore(doc, job, offset);
  if (!stored) return undefined;
  let line = 1 + stored.count;
  for await (const block of output.read(doc, { job, start: stored.end, end: offset }))
    for (const byte of block) if (byte === newline) line++;
  return line;
}

/** Returns the end of a build's or job's output, cut at a character border; undefined if there is none. */
export async function outputEnd(
  ctx: Pick<Context, "output">,
  doc: Grown & WithOutput & Partial<WithJobs>,
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
