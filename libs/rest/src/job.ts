import type { Build, Job } from "@ci/proto/builds/v1/builds";
import { buildEmbed } from "./build.js";
import { outputJson } from "./output.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { buildUrl } from "./urls.js";

/** The copy of a job inside other records: without output and build. */
export const jobEmbed = (job: Job, build: Build, known: Relations) => {
  const url = `${buildUrl(build, known)}/jobs/${encodeURIComponent(job.name)}`;
  const commands = job.commands.join("\n");
  return {
    id: job.id,
    build_id: job.buildId,
    stage: job.stage,
    name: job.name,
    // The API's first users read this spelling, so it stays beside the right one.
    commmands: commands,
    commands,
    status: job.status,
    output: null as string | null,
    created_at: time(job.createdAt),
    started_at: time(job.startedAt),
    finished_at: time(job.finishedAt),
    url,
    output_url: `${url}/output`,
  };
};

/** The whole record. */
export const jobJson = (job: Job, build: Build, known: Relations) => ({
  ...jobEmbed(job, build, known),
  output: outputJson(job),
  build: buildEmbed(build, known),
});
