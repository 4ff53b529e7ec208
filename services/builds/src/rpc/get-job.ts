import { notFound } from "@ci/kit/rpc/fault";
import { outputEnd } from "../actions/output/output.js";
import { withQueuePlace } from "../actions/queue/queue-places.js";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import { toJob } from "../domain/records.js";

export const getJob =
  (ctx: Context): Handlers["getJob"] =>
  async ({ ref, name }, { caller }) => {
    const doc = await seeBuild(ctx, caller, ref, ["jobs", "steps"]);
    const index = doc.jobs.findIndex((job) => job.name === name);
    if (index < 0) throw notFound();
    const output = await outputEnd(ctx, doc, ctx.config.outputJsonBytes, index);
    return { job: { ...toJob(doc, index), output }, build: await withQueuePlace(ctx, doc) };
  };
