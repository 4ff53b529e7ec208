import type { Caller } from "@ci/kit/rpc/caller";
import type { ReadOutputRequest } from "@ci/proto/builds/v1/builds";
import { jobIndex, progress } from "../actions/output.js";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";

/** Opens the output for reading. Keeps only the end of the output in memory for a slow reader, not the whole build. */
async function open(ctx: Context, caller: Caller, { ref, job: name, start = 0, end }: ReadOutputRequest) {
  const doc = await seeBuild(ctx, caller, ref);
  const job = jobIndex(doc, name);
  const until = Math.min(progress(doc, job).bytes, (end ?? Number.MAX_SAFE_INTEGER) + 1);
  const { _id, tail, tailFrom, parts } = doc;
  return ctx.output.read({ _id, tail, tailFrom, parts }, { job, start, end: until });
}

export const readOutput = (ctx: Context): Handlers["readOutput"] =>
  async function* (request, { caller }) {
    for await (const chunk of await open(ctx, caller, request)) yield { chunk };
  };
