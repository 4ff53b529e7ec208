import { findBuild, pathOf } from "../build-ref.js";
import type { Handler } from "../command.js";
import { exitOf } from "../exit.js";
import { followOutput } from "../follow.js";
import { type Io, write } from "../io.js";
import { outputPrinter } from "../output-printer.js";
import { connect } from "../session.js";
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

export const run: Handler<Specs["logs"]> = async (io, { build, follow, job, timestamps }) => {
  const session = await connect(io);
  const base = pathOf(await findBuild(session, build));
  const path = job === undefined ? `${base}/output` : `${base}/jobs/${encodeURIComponent(job)}/output`;
  if (follow) return exitOf([await followOutput(io, session, path, { timestamps })]);
  const { body } = await session.client.request(timestamps ? `${path}?timestamps=true` : path, {
    headers: { Accept: "text/plain" },
  });
  if (io.stdout.isTTY) await writeSafely(io, body ?? []);
  else for await (const chunk of body ?? []) await write(io, chunk);
  return undefined;
};
