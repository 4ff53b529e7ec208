import { pageOf } from "@ci/kit/mongo/mongo";
import type { Context, Handlers } from "../context.js";
import { byName, contains, toArtifact, toJob } from "../domain/records.js";
import { shown } from "../places.js";
import { seeArtifacts } from "./see.js";

export const listArtifacts =
  (ctx: Context): Handlers["listArtifacts"] =>
  async ({ ref, search, page: asked }, { caller }) => {
    const { doc, artifacts } = await seeArtifacts(ctx, caller, ref);
    const wanted = artifacts.filter((one) => contains(one.name, search)).sort(byName((one) => one.name));
    const { items, page } = pageOf(wanted, asked?.number);
    const from = new Set(items.map((artifact) => artifact.jobId));
    const jobs = doc.jobs.flatMap((job, index) => (from.has(job.id) ? [toJob(doc, index)] : []));
    return { artifacts: items.map((artifact) => toArtifact(doc, artifact)), jobs, page, build: await shown(ctx, doc) };
  };
