import { jobJson } from "@ci/rest/job";
import { known } from "../embed.js";
import { outputEvent, outputStream, outputText, wantsStream } from "../output.js";
import { paged } from "../page.js";
import { action } from "../row.js";
import { job } from "../schemas.js";
import { text } from "../shape.js";
import { buildRefOf } from "../targets.js";
import { status } from "./builds.js";

export const listJobs = action({
  summary: "Jobs of a build, in order of execution",
  query: { search: text, name: text, status },
  paged: true,
  answer: job,
  target: async (ctx, asked) => ctx.builds.getBuild({ ref: await buildRefOf(ctx, asked), brief: true }),
  async run(ctx, ask) {
    const { search, name, status } = ask.query;
    const ref = await buildRefOf(ctx, ask);
    const found = await ctx.builds.listJobs({ ref, search: search ?? name ?? "", status, page: ask.page });
    const build = found.build!;
    const all = await known(ctx, [build]);
    const items = found.jobs.map((one) => jobJson(one, build, all));
    return paged(items, found.page);
  },
});

export const getJob = action({
  summary: "A job of a build",
  answer: job,
  async run(ctx, ask) {
    const { job, build } = await ctx.builds.getJob({ ref: await buildRefOf(ctx, ask), name: ask.params.name });
    return jobJson(job!, build!, await known(ctx, [build!]));
  },
});

export const getJobOutput = action({
  summary: "What a job has written, as text or, as it comes, as server-sent events",
  media: ["text/plain", "text/event-stream"],
  event: outputEvent,
  async run(ctx, ask) {
    const ref = await buildRefOf(ctx, ask);
    const { job } = await ctx.builds.getJob({ ref, name: ask.params.name });
    const output = { ref, job: job!.name, sizeBytes: job!.outputBytes };
    if (wantsStream(ask.exchange)) return outputStream(ctx, output);
    return outputText(ctx.builds, output, `${ask.params.user}-${ref.number}-${output.job}.log`);
  },
});
