import type { Build, Job } from "@ci/proto/builds/v1/builds";
import { z } from "zod";
import { buildCopySchema, buildEmbed, statusSchema } from "./build.js";
import { outputJson } from "./output.js";
import type { Relations } from "./relations.js";
import { id, record, timestamp, url } from "./schema.js";
import { time, timeOrNull } from "./time.js";
import { buildUrl, contentUrl } from "./urls.js";

export const jobCopySchema = record("JobCopy", "A job inside another record", {
  id: id.describe("Id of the job"),
  build_id: id.describe("Id of the build"),
  stage: z.string().describe("Stage that the job belongs to"),
  name: z.string().describe("Name of the job, unique in its build"),
  commmands: z.string().describe("The same as `commands`, kept for old clients"),
  commands: z.string().describe("Commands of the job, one per line"),
  status: statusSchema.describe("Status of the job"),
  output: z.null().describe("Always null; see `output_url`"),
  created_at: timestamp.describe("When the build was submitted"),
  started_at: timestamp.nullable().describe("When the job started; null before that"),
  finished_at: timestamp.nullable().describe("When the job finished; null before that"),
  exit_code: z.int().nullable().describe("Exit code of the script; null before its end and for a job without a script"),
  reason: z.string().nullable().describe("Why the job did not pass, such as `exit code 3`; null if it passed"),
  url: url.describe("Address of the job"),
  output_url: url.describe("Address of the whole output"),
  content_url: url.describe("Address to download the whole output from, as a file"),
});

export const jobSchema = record("Job", "A job of a build", {
  ...jobCopySchema.shape,
  output: z.string().nullable().describe("The end of the output; null before the first byte"),
  build: buildCopySchema.describe("The build"),
});

/** Returns the copy of a job that other records contain, without output and build. */
export const jobEmbed = (job: Job, build: Build, relations: Relations): z.output<typeof jobCopySchema> => {
  const url = `${buildUrl(build, relations)}/jobs/${encodeURIComponent(job.name)}`;
  const commands = job.commands.join("\n");
  return {
    id: job.id,
    build_id: job.buildId,
    stage: job.stage,
    name: job.name,
    // Early clients read this spelling, so we return it in addition to the correct one.
    commmands: commands,
    commands,
    status: job.status,
    output: null,
    created_at: time(job.createdAt),
    started_at: timeOrNull(job.startedAt),
    finished_at: timeOrNull(job.finishedAt),
    exit_code: job.exitCode ?? null,
    reason: job.reason ?? null,
    url,
    output_url: `${url}/output`,
    content_url: contentUrl(`${url}/output`),
  };
};

export const jobJson = (job: Job, build: Build, relations: Relations): z.output<typeof jobSchema> => ({
  ...jobEmbed(job, build, relations),
  output: outputJson(job),
  build: buildEmbed(build, relations),
});
