import type { BuildDoc, Chunk, JobDoc, Part } from "./build.js";

type Shown = Pick<BuildDoc, "outputBytes" | "parts">;

/** Returns the size of all output that has arrived, including output that is not in the build's output yet. */
export const arrivedBytes = ({ outputBytes, parts = [] }: Shown): number =>
  parts.reduce((sum, { start, bytes }) => (start === undefined ? sum + bytes : sum), outputBytes);

const latestPart = (parts: readonly Part[], job: number): number => parts.findLastIndex((part) => part.job === job);

/** Appends to the output of a parallel job. */
export function addBeside(
  doc: BuildDoc,
  text: string,
  at: Date,
  job: number,
): { readonly set: Partial<Shown & Pick<BuildDoc, "jobs">>; readonly output: readonly Chunk[] } {
  if (text === "") return { set: {}, output: [] };
  const bytes = Buffer.byteLength(text);
  const { parts = [] } = doc;
  const own = latestPart(parts, job);
  const jobStart = doc.jobs[job]!.outputBytes;
  const jobs = doc.jobs.map((one, index) => (index === job ? { ...one, outputBytes: jobStart + bytes } : one));
  const grown = parts.map((part, index) => (index === own ? { ...part, bytes: part.bytes + bytes } : part));
  const isShown = parts[own]!.start !== undefined;
  return {
    set: { jobs, parts: grown, ...(isShown ? { outputBytes: doc.outputBytes + bytes } : {}) },
    output: [{ job, start: arrivedBytes(doc), jobStart, bytes, text, at }],
  };
}

export const runningIn = (jobs: readonly JobDoc[]) => (job: number) => jobs[job]!.status === "running";

/** Adds the parts that are due to the build's output: all before the first running job, and that job's part. */
export function showParts({ outputBytes, parts = [] }: Shown, isRunning: (job: number) => boolean): Shown {
  let end = outputBytes;
  let isTurn = !parts.some(
    ({ start, job }, index) => start !== undefined && isRunning(job) && latestPart(parts, job) === index,
  );
  const shown = parts.map((part) => {
    if (part.start !== undefined || !isTurn) return part;
    const start = end;
    end += part.bytes;
    isTurn = !isRunning(part.job);
    return { ...part, start };
  });
  return { outputBytes: end, parts: shown };
}

/** Begins the parts of jobs that start in parallel. */
export function beginParts(doc: Shown, started: readonly number[], jobs: readonly JobDoc[]): Shown {
  const begun = started.map((job) => ({ job, jobStart: jobs[job]!.outputBytes, bytes: 0 }));
  return showParts({ ...doc, parts: [...(doc.parts ?? []), ...begun] }, runningIn(jobs));
}

const isIn = (part: Part, { job, jobStart = 0 }: Chunk): boolean =>
  part.job === job && part.jobStart <= jobStart && jobStart < part.jobStart + part.bytes;

export const partOf = (parts: readonly Part[] | undefined, chunk: Chunk): Part | undefined =>
  parts?.find((one) => isIn(one, chunk));

function partFinder(parts: readonly Part[]): (chunk: Chunk) => Part | undefined {
  const partsByJob = new Map<number | undefined, Part[]>();
  for (const part of parts) {
    const known = partsByJob.get(part.job);
    if (known) known.push(part);
    else partsByJob.set(part.job, [part]);
  }
  return (chunk) => partOf(partsByJob.get(chunk.job), chunk);
}

/** Returns the end of the build's output without gaps, as far as the record holds it. */
export function shownTail({ tail, parts, outputBytes }: Pick<BuildDoc, "tail" | "parts" | "outputBytes">): Chunk[] {
  if (!parts) return [...tail];
  const find = partFinder(parts);
  const placed = tail.flatMap((chunk) => {
    const part = find(chunk);
    if (!part) return [chunk];
    return part.start === undefined ? [] : [{ ...chunk, start: part.start + chunk.jobStart! - part.jobStart }];
  });
  placed.sort((a, b) => b.start - a.start);
  const shown: Chunk[] = [];
  let end = outputBytes;
  for (const chunk of placed) {
    if (chunk.start + chunk.bytes !== end) break;
    shown.push(chunk);
    end = chunk.start;
  }
  return shown.reverse();
}

/** A range of the output of the build or, with `job`, of a job. */
interface Range {
  readonly job?: number | undefined;
  readonly start: number;
  readonly end: number;
}

/** Returns where the start of a range is stored: in one job's output, or in order of arrival. */
export function storedRange({ parts = [] }: Pick<BuildDoc, "parts">, range: Range): Range {
  if (range.job !== undefined) return range;
  const { start, end } = range;
  let next = end;
  for (const { start: from, bytes, job, jobStart } of parts) {
    if (from === undefined || bytes === 0) continue;
    if (from <= start && start < from + bytes) {
      const shift = jobStart - from;
      return { job, start: start + shift, end: Math.min(end, from + bytes) + shift };
    }
    if (from > start) next = Math.min(next, from);
  }
  return { start, end: next };
}
