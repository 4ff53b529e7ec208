import { jobJson, jobSchema } from "@ci/rest/job";
import { buildRefOf, visibleBuild } from "../auth/targets.js";
import { relationsFor } from "../backend/relations.js";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";
import { limitedText, search } from "../http/shape.js";
import { jobOutputQuery, outputEvent, outputStream, outputText, wantsStream } from "../stream/output.js";
import { brief, status } from "./builds.js";

export const listJobs = action({
  summary: "Jobs of a build, in order of execution",
  query: {
    ...search,
    name: limitedText("text").describe("The same as `search`; with both, a name contains both"),
    status: status.describe("Only jobs with this status"),
    ...brief,
  },
  paged: true,
  returns: jobSchema,
  target: visibleBuild,
  async run(ctx, input) {
    const { search, name, status, brief } = input.query;
    const ref = await buildRefOf(ctx, input);
    // An earlier version of the builds service knows only `search`.
    const filter = { search: search ?? name ?? "", name, status, brief: brief === "true" };
    const listed = await ctx.builds.listJobs({ ref, ...filter, page: input.page });
    const build = listed.build!;
    const relations = await relationsFor(ctx, [build]);
    const items = listed.jobs.map((job) => jobJson(job, build, relations));
    return paged(items, listed.page);
  },
});

export const getJob = action({
  summary: "A job of a build",
  returns: jobSchema,
  async run(ctx, input) {
    const { job, build } = await ctx.builds.getJob({ ref: await buildRefOf(ctx, input), name: input.params.name });
    return jobJson(job!, build!, await relationsFor(ctx, [build!]));
  },
});

export const getJobOutput = action({
  summary: "The output of a job, as text or, while it grows, as server-sent events",
  media: ["text/plain", "text/event-stream"],
  file: true,
  event: outputEvent,
  query: jobOutputQuery,
  target: async (ctx, address) => ctx.builds.getJob({ ref: await buildRefOf(ctx, address), name: address.params.name }),
  async run(ctx, input) {
    const ref = await buildRefOf(ctx, input);
    const output = { ref, job: input.params.name, timestamps: input.query.timestamps === "true" };
    if (wantsStream(input.exchange)) return outputStream(ctx, output);
    const { job } = await ctx.builds.getJob({ ref, name: output.job });
    const findsLine = input.query.first_line === "true";
    return outputText(
      { ...output, findsLine },
      job!.outputBytes,
      `${input.params.user}-${ref.number}-${output.job}.log`,
    );
  },
});
