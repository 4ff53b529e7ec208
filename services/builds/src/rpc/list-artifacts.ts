import { pageOf } from "@ci/kit/rpc/page";
import { withQueuePlace } from "../actions/queue/queue-places.js";
import { seeArtifacts } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import { contains, sortedByName, toArtifact, toJob } from "../domain/records.js";

export const listArtifacts =
  (ctx: Context): Handlers["listArtifacts"] =>
  async ({ ref, search, page: requested }, { caller }) => {
    const { doc, artifacts } = await seeArtifacts(ctx, caller, ref);
    const found = artifacts.filter((one) => contains(one.name, search));
    const matching = sortedByName(found, (one) => one.name);
    const { items, page } = pageOf(matching, requested?.number);
    const from = new Set(items.map((artifact) => artifact.jobId));
    const jobs = doc.jobs.flatMap((job, index) => (from.has(job.id) ? [toJob(doc, index)] : []));
    return {
      artifacts: items.map((artifact) => toArtifact(doc, artifact)),
      jobs,
      page,
      build: await withQueuePlace(ctx, doc),
    };
  };
