import { notFound } from "@ci/kit/rpc/fault";
import type { Artifact, BuildRef, Job } from "@ci/proto/builds/v1/builds";
import { artifactJson, artifactSchema } from "@ci/rest/artifact";
import { buildRefOf, visibleBuild } from "../auth/targets.js";
import { relationsFor } from "../backend/relations.js";
import { download, wantsContent } from "../content/download.js";
import type { Context } from "../context.js";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";
import { search } from "../http/shape.js";

const type = "application/octet-stream";

export const listArtifacts = action({
  summary: "Artifacts of a build, by name",
  query: search,
  paged: true,
  returns: artifactSchema,
  target: visibleBuild,
  async run(ctx, input) {
    const { search = "" } = input.query;
    const ref = await buildRefOf(ctx, input);
    const { build, artifacts, jobs, page } = await ctx.builds.listArtifacts({ ref, search, page: input.page });
    const jobsById = new Map(jobs.map((job) => [job.id, job]));
    const relations = await relationsFor(ctx, [build!, ...artifacts]);
    const items = artifacts.map((artifact) => artifactJson(artifact, build!, jobsById.get(artifact.jobId)!, relations));
    return paged(items, page);
  },
});

/** Returns the content of an artifact, which exists once its job has ended. */
function contentOf({ builds }: Context, ref: BuildRef, { name, size, createdAt }: Artifact, job: Job) {
  if (size === undefined) throw notFound();
  return download({
    type,
    name,
    sizeBytes: size,
    lastModified: (job.finishedAt ?? createdAt)!,
    read: (part, options) => builds.readArtifact({ ref, name, ...part }, options),
  });
}

export const getArtifact = action({
  summary: "An artifact of a build, or its content if exactly application/octet-stream is accepted",
  returns: artifactSchema,
  media: [type],
  file: true,
  async run(ctx, input) {
    const ref = await buildRefOf(ctx, input);
    const { artifact, build, job } = await ctx.builds.getArtifact({ ref, name: input.params.name });
    if (wantsContent(input.exchange, type)) return contentOf(ctx, ref, artifact!, job!);
    return artifactJson(artifact!, build!, job!, await relationsFor(ctx, [build!, artifact!]));
  },
});
