import { ApiError, record } from "@service-ci/client";
import { type BuildRef, findBuild, nameOf, pathOf } from "../build-ref.js";
import type { Handler } from "../command.js";
import { exitOf, Failure } from "../exit.js";
import { followOutput } from "../follow.js";
import { type Io, write } from "../io.js";
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

export const run: Handler<Specs["logs"]> = async (io, { build, follow, job, timestamps }) => {
  const session = await connect(io);
  const ref = await findBuild(session, build);
  const base = pathOf(ref);
  const path = job === undefined ? `${base}/output` : `${base}/jobs/${encodeURIComponent(job)}/output`;
  try {
    if (follow) return exitOf([await followOutput(io, session, path, { timestamps })]);
    const { body } = await session.client.request(timestamps ? `${path}?timestamps=true` : path, {
      headers: { Accept: "text/plain" },
    });
    if (io.stdout.isTTY) await writeSafely(io, body ?? []);
    else for await (const chunk of body ?? []) await write(io, chunk);
    return undefined;
  } catch (error) {
    if (job !== undefined && error instanceof ApiError && error.status === 404) await throwNoJob(session, ref, job);
    throw error;
  }
};
