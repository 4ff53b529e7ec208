import { notFound } from "@ci/kit/rpc/fault";
import type { Artifact, BuildRef, Job } from "@ci/proto/builds/v1/builds";
import { artifactJson } from "@ci/rest/artifact";
import { accepts, content } from "../content.js";
import type { Context } from "../context.js";
import { known } from "../embed.js";
import { paged } from "../page.js";
import { action } from "../row.js";
import { artifact } from "../schemas.js";
import { text } from "../shape.js";
import { buildRefOf } from "../targets.js";

const type = "application/octet-stream";

export const listArtifacts = action({
  summary: "Artifacts of a build, by name",
  query: { search: text },
  paged: true,
  answer: artifact,
  async run(ctx, ask) {
    const { search = "" } = ask.query;
    const found = await ctx.builds.listArtifacts({ ref: await buildRefOf(ctx, ask), search, page: ask.page });
    const build = found.build!;
    const jobs = new Map(found.jobs.map((job) => [job.id, job]));
    const all = await known(ctx, [build, ...found.artifacts]);
    const items = found.artifacts.map((one) => artifactJson(one, build, jobs.get(one.jobId)!, all));
    return paged(items, found.page);
  },
});

/** The content of an artifact; it is there from the end of its job on. */
function contentOf({ builds }: Context, ref: BuildRef, { name, size, createdAt }: Artifact, job: Job) {
  if (size === undefined) throw notFound();
  return content({
    type,
    name,
    sizeBytes: size,
    lastModified: (job.finishedAt ?? createdAt)!,
    read: (part, options) => builds.readArtifact({ ref, name, ...part }, options),
  });
}

export const getArtifact = action({
  summary: "An artifact of a build, or its content if exactly application/octet-stream is accepted",
  answer: artifact,
  media: [type],
  async run(ctx, ask) {
    const ref = await buildRefOf(ctx, ask);
    const { artifact, build, job } = await ctx.builds.getArtifact({ ref, name: ask.params.name });
    if (accepts(ask.exchange, type)) return contentOf(ctx, ref, artifact!, job!);
    return artifactJson(artifact!, build!, job!, await known(ctx, [build!, artifact!]));
  },
});
