import { notFound } from "@ci/kit/rpc/fault";
import type { Context, Handlers } from "../context.js";
import { toJob } from "../domain/records.js";
import { outputEnd } from "../output.js";
import { shown } from "../places.js";
import { seeBuild } from "./see.js";

export const getJob =
  (ctx: Context): Handlers["getJob"] =>
  async ({ ref, name }, { caller }) => {
    const doc = await seeBuild(ctx, caller, ref);
    const index = doc.jobs.findIndex((job) => job.name === name);
    if (index < 0) throw notFound();
    const output = await outputEnd(ctx, doc, ctx.config.outputJsonBytes, index);
    return { job: { ...toJob(doc, index), output }, build: await shown(ctx, doc) };
  };
