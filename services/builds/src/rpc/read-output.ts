import { jobIndex, progress } from "../actions/output.js";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";

export const readOutput = (ctx: Context): Handlers["readOutput"] =>
  async function* ({ ref, job: name, start = 0, end }, { caller }) {
    const doc = await seeBuild(ctx, caller, ref);
    const job = jobIndex(doc, name);
    const until = Math.min(progress(doc, job).bytes, (end ?? Number.MAX_SAFE_INTEGER) + 1);
    for await (const chunk of ctx.output.read(doc, { job, start, end: until })) yield { chunk };
  };
