import { notFound } from "@ci/kit/rpc/fault";
import type { Context, Handlers } from "../context.js";
import { toArtifact, toJob } from "../domain/records.js";
import { shown } from "../places.js";
import { seeArtifacts } from "./see.js";

export const getArtifact =
  (ctx: Context): Handlers["getArtifact"] =>
  async ({ ref, name }, { caller }) => {
    const { doc, artifacts } = await seeArtifacts(ctx, caller, ref);
    const artifact = artifacts.find((one) => one.name === name);
    if (!artifact) throw notFound();
    const job = doc.jobs.findIndex((one) => one.id === artifact.jobId);
    return { artifact: toArtifact(doc, artifact), job: toJob(doc, job), build: await shown(ctx, doc) };
  };
