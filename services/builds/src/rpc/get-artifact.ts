import { notFound } from "@ci/kit/rpc/fault";
import { withQueuePlace } from "../actions/queue/queue-places.js";
import { seeArtifacts } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import { toArtifact, toJob } from "../domain/records.js";

export const getArtifact =
  (ctx: Context): Handlers["getArtifact"] =>
  async ({ ref, name }, { caller }) => {
    const { doc, artifacts } = await seeArtifacts(ctx, caller, ref);
    const named = (wanted: string) => artifacts.find((one) => one.name === wanted);
    // URL parsers drop a last segment `.`, so the URL of the artifact `.` ends with `./`.
    const artifact = named(name) ?? (name === "./" ? named(".") : undefined);
    if (!artifact) throw notFound();
    const job = doc.jobs.findIndex((one) => one.id === artifact.jobId);
    return { artifact: toArtifact(doc, artifact), job: toJob(doc, job), build: await withQueuePlace(ctx, doc) };
  };
