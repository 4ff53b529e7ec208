import { pageOf } from "@ci/kit/rpc/page";
import { outputEnd } from "../actions/output/output.js";
import { withQueuePlace } from "../actions/queue/queue-places.js";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import { contains, toJob } from "../domain/records.js";

export const listJobs =
  (ctx: Context): Handlers["listJobs"] =>
  async ({ ref, search, name, status, brief, page: requested }, { caller }) => {
    const doc = await seeBuild(ctx, caller, ref, ["jobs", "steps"]);
    const matching = doc.jobs
      .map((job, index) => ({ job, index }))
      .filter(({ job }) => [search, name ?? ""].every((text) => contains(job.name, text)))
      .filter(({ job }) => status === undefined || job.status === status);
    const { items, page } = pageOf(matching, requested?.number);
    const jobs = await Promise.all(
      items.map(async ({ index }) => {
        const output = brief ? undefined : await outputEnd(ctx, doc, ctx.config.outputListBytes, index);
        return { ...toJob(doc, index), output };
      }),
    );
    return { jobs, page, build: await withQueuePlace(ctx, doc) };
  };
