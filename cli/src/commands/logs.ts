import { ApiError, record } from "@service-ci/client";
import { type BuildRef, findBuild, nameOf, pathOf } from "../build-ref.js";
import type { Handler } from "../command.js";
import { exitOf, Failure, UsageError } from "../exit.js";
import { failedJobs } from "../failed-jobs.js";
import { followOutput } from "../follow.js";
import { type Io, note, write } from "../io.js";
import { outputPrinter } from "../output-printer.js";
import { connect, type Session } from "../session.js";
import type { Specs } from "../specs.js";

async function writeSafely(io: Io, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const printer = outputPrinter(io);
  try {
    for await (const chunk of chunks) await printer.push(decoder.decode(chunk, { stream: true }));
    await printer.push(decoder.decode());
  } finally {
    await printer.end();
  }
}

/** Throws that the build has no such job, unless the build itself is missing. */
async function throwNoJob({ client }: Session, path: BuildRef, job: string): Promise<never> {
  await record(client.api.GET("/b/{user}/{number}", { params: { path, query: { brief: "true" } } }));
  const name = nameOf(path);
  throw new Failure(`Build ${name} has no job "${job}". \`ci jobs ${name}\` lists its jobs`);
}

async function printOutput(io: Io, { client }: Session, path: string, timestamps = false): Promise<void> {
  const { body } = await client.request(timestamps ? `${path}?timestamps=true` : path, {
    headers: { Accept: "text/plain" },
  });
  if (io.stdout.isTTY) await writeSafely(io, body ?? []);
  else for await (const chunk of body ?? []) await write(io, chunk);
}

const outputOf = (base: string, job: string): string => `${base}/jobs/${encodeURIComponent(job)}/output`;

async function printFailed(io: Io, session: Session, ref: BuildRef, timestamps?: boolean): Promise<undefined> {
  const base = pathOf(ref);
  let none = true;
  for await (const { name, status, reason } of failedJobs(session, base)) {
    none = false;
    note(io, `Job ${name} ${status.replaceAll("_", " ")}${reason ? `: ${reason}` : ""}`);
    await printOutput(io, session, outputOf(base, name), timestamps);
  }
  if (none) note(io, `No job of build ${nameOf(ref)} has failed`);
}

export const run: Handler<Specs["logs"]> = async (io, { build, follow, job, failed, timestamps }) => {
  if (failed && (follow || job !== undefined))
    throw new UsageError("--failed cannot be combined with --follow or --job");
  const session = await connect(io);
  const ref = await findBuild(session, build);
  if (failed) return printFailed(io, session, ref, timestamps);
  const base = pathOf(ref);
  const path = job === undefined ? `${base}/output` : outputOf(base, job);
  try {
    if (follow) return exitOf([await followOutput(io, session, path, { timestamps })]);
    await printOutput(io, session, path, timestamps);
    return undefined;
  } catch (error) {
    if (job !== undefined && error instanceof ApiError && error.status === 404) await throwNoJob(session, ref, job);
    throw error;
  }
};
