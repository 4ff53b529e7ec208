import type { Artifact, Build, Job } from "@ci/proto/builds/v1/builds";
import { buildEmbed } from "./build.js";
import { jobEmbed } from "./job.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { buildUrl, segments } from "./urls.js";
import { userEmbed } from "./user.js";

/** An artifact of a job of a build. */
export const artifactJson = (artifact: Artifact, build: Build, job: Job, known: Relations) => ({
  id: artifact.id,
  build_id: artifact.buildId,
  job_id: artifact.jobId,
  user_id: artifact.userId,
  source: artifact.source,
  name: artifact.name,
  size: artifact.size ?? null,
  md5: artifact.md5 ?? null,
  sha256: artifact.sha256 ?? null,
  created_at: time(artifact.createdAt),
  deleted_at: time(artifact.deletedAt),
  url: `${buildUrl(build, known)}/artifacts/${segments(artifact.name)}`,
  user: userEmbed(artifact.userId, known),
  build: buildEmbed(build, known),
  job: jobEmbed(job, build, known),
});
