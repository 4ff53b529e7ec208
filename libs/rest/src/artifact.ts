import type { Artifact, Build, Job } from "@ci/proto/builds/v1/builds";
import { z } from "zod";
import { buildCopySchema, buildEmbed } from "./build.js";
import { jobCopySchema, jobEmbed } from "./job.js";
import type { Relations } from "./relations.js";
import { bytes, id, md5, record, sha256, timestamp, url } from "./schema.js";
import { time, timeOrNull } from "./time.js";
import { buildUrl, contentUrl, segments } from "./urls.js";
import { userEmbed, userSchema } from "./user.js";

export const artifactSchema = record("Artifact", "A file that a job produced", {
  id: id.describe("Id of the artifact"),
  build_id: id.describe("Id of the build"),
  job_id: id.describe("Id of the job that produced the artifact"),
  user_id: id.describe("Id of the user that the build belongs to"),
  source: z.string().describe("Path or pattern in the job's environment, from the manifest"),
  name: z.string().describe("Name of the artifact, unique in its build"),
  size: bytes.nullable().describe("Size in bytes; null until the job has finished, and after curation"),
  md5: md5.nullable().describe("MD5 of the content; null without content"),
  sha256: sha256.nullable().describe("SHA-256 of the content; null without content"),
  created_at: timestamp.describe("When the record was created"),
  deleted_at: timestamp.nullable().describe("When curation deleted the content; null if it did not"),
  url: url.describe("Address of the artifact"),
  content_url: url.nullable().describe("Address to download the content from; null without content"),
  user: userSchema.describe("The user that the build belongs to"),
  build: buildCopySchema.describe("The build"),
  job: jobCopySchema.describe("The job that produced the artifact"),
});

/** Returns an artifact of a build. */
export const artifactJson = (
  artifact: Artifact,
  build: Build,
  job: Job,
  relations: Relations,
): z.output<typeof artifactSchema> => {
  const url = `${buildUrl(build, relations)}/artifacts/${segments(artifact.name)}`;
  return {
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
    deleted_at: timeOrNull(artifact.deletedAt),
    url,
    content_url: artifact.size === undefined ? null : contentUrl(url),
    user: userEmbed(artifact.userId, relations),
    build: buildEmbed(build, relations),
    job: jobEmbed(job, build, relations),
  };
};
