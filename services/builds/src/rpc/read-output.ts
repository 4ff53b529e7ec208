import { inMessages } from "@ci/kit/bytes/chunked";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Caller } from "@ci/kit/rpc/caller";
import type { ReadOutputRequest } from "@ci/proto/builds/v1/builds";
import { beginsLine, jobIndex, lineAt, progress } from "../actions/output/output.js";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import { type Started, timedCutter } from "../domain/timed-lines.js";
import type { OutputRange, WithOutput } from "../store/output.js";

const maxTimedBytes = fixedLimit({
  max: 64 * 1024,
  unit: "bytes",
  about: "output with times that is in memory for one reader",
  effect: "the reader gets more once it has read that",
});

/** Reads a range in texts whose lines begin with their times. */
async function* readTimed(ctx: Context, doc: WithOutput & Started, range: OutputRange): AsyncGenerator<Buffer> {
  const cutter = timedCutter(maxTimedBytes, await beginsLine(ctx, doc, range));
  for (let start = range.start; start < range.end; ) {
    cutter.fill(await ctx.output.nextTimed(doc, { ...range, start }, maxTimedBytes));
    if (cutter.isEmpty()) return;
    while (!cutter.isEmpty()) {
      const { text, bytes } = cutter.take();
      start += bytes;
      yield text;
    }
  }
}

/** Opens the output for reading. Keeps only the end of the output in memory for a slow reader, not the whole build. */
async function open(ctx: Context, caller: Caller, request: ReadOutputRequest) {
  const { ref, job: name, start = 0, end = Number.MAX_SAFE_INTEGER, timestamps, findsLine } = request;
  const doc = await seeBuild(ctx, caller, ref, ["jobs"]);
  const job = jobIndex(doc, name);
  const range = { job, start, end: Math.min(progress(doc, job).bytes, end + 1) };
  const { _id, tail, tailFrom, parts, jobs, createdAt, startedAt } = doc;
  const kept = { _id, tail, tailFrom, parts };
  const timed = { ...kept, jobs, createdAt, startedAt };
  return {
    blocks: timestamps ? readTimed(ctx, timed, range) : ctx.output.read(kept, range),
    firstLine: findsLine && job !== undefined ? await lineAt(ctx, kept, job, start) : undefined,
  };
}

export const readOutput = (ctx: Context): Handlers["readOutput"] =>
  async function* (request, { caller }) {
    const { blocks, firstLine } = await open(ctx, caller, request);
    let first = { firstLine };
    for await (const block of blocks)
      for (const chunk of inMessages(block)) {
        yield { chunk, ...first };
        first = { firstLine: undefined };
      }
  };
