import { type Build, Build_Status, type Trigger, Trigger_Type } from "@ci/proto/builds/v1/builds";
import { z } from "zod";
import { namespaceCopySchema, namespaceEmbed } from "./namespace-copy.js";
import { outputJson } from "./output.js";
import { type QueueReason, queueReasons } from "./queue-reasons.js";
import type { Relations } from "./relations.js";
import { id, record, timestamp, url } from "./schema.js";
import { time, timeOrNull } from "./time.js";
import { buildUrl, contentUrl } from "./urls.js";
import { userEmbed, userSchema } from "./user.js";

export const statusSchema = z.enum(Build_Status);

const triggerSchema = record("Trigger", "Why a build was submitted", {
  type: z.enum(Trigger_Type).describe("What submitted the build: a user, a push, a pull request or a cron job"),
  comment: z.string().describe("Comment of the user, or message of the commit"),
  data: z.record(z.string(), z.string()).describe("Facts about the trigger, such as the user or the commit"),
});

const queueSchema = z.object({
  position: z.int().positive().describe("Place in the queue, from 1 to 500; 500 also stands for all later places"),
  reason: z.enum(queueReasons).describe("Why the build is not running yet"),
});

const testsSchema = z.object({
  total: z.int().nonnegative().describe("Number of tests"),
  failed: z.int().nonnegative().describe("Number of tests that failed"),
  skipped: z.int().nonnegative().describe("Number of tests that did not run"),
  seconds: z.number().nonnegative().describe("Total duration of all tests, in seconds"),
});

const groupSchema = z.object({
  id: id.describe("Id of the group: that of its first build"),
  size: z.int().positive().describe("Number of builds in the group"),
  index: z.int().nonnegative().describe("Index of the build in the group, from 0"),
  axes: z
    .record(z.string(), z.string())
    .describe("The build's combination of the matrix; empty if the build kept no manifest"),
});

export const buildCopySchema = record("BuildCopy", "A build inside another record", {
  id: id.describe("Id of the build"),
  user_id: id.describe("Id of the user that the build belongs to"),
  namespace_id: id.nullable().describe("Id of the namespace; null for a build without one"),
  number: id.describe("Number of the build, counted per user"),
  status: statusSchema.describe("Status of the build"),
  output: z.null().describe("Always null; see `output_url`"),
  tags: z.array(z.string()).describe("Names of the tags, sorted"),
  pinned: z.boolean().describe("Whether the artifacts are protected from curation"),
  created_at: timestamp.describe("When the build was submitted"),
  started_at: timestamp.nullable().describe("When a runner started the build; null before that"),
  finished_at: timestamp.nullable().describe("When the build finished; null before that"),
  reason: z.string().nullable().describe("Why the build did not pass, such as `exit code 3`; null if it passed"),
  url: url.describe("Address of the build"),
  objects_url: url.describe("Address of the list of objects placed into the build"),
  variables_url: url.describe("Address of the list of the build's variables"),
  keys_url: url.describe("Address of the list of the build's SSH keys"),
  jobs_url: url.describe("Address of the list of jobs"),
  artifacts_url: url.describe("Address of the list of artifacts"),
  tags_url: url.describe("Address of the list of tags"),
  output_url: url.describe("Address of the whole output"),
  content_url: url.describe("Address to download the whole output from, as a file"),
  user: userSchema.describe("The user that the build belongs to"),
  namespace: namespaceCopySchema.nullable().describe("The namespace; null for a build without one"),
  trigger: triggerSchema.describe("Why the build was submitted"),
  queue: queueSchema.nullable().describe("The build's place in the queue; null if it is not queued"),
  group: groupSchema.nullable().describe("The builds of one matrix; null without a matrix"),
});

export const buildSchema = record("Build", "A build", {
  ...buildCopySchema.shape,
  output: z.string().nullable().describe("The end of the output; null before the first byte"),
  manifest: z
    .string()
    .describe(
      "The manifest as it was submitted; in lists at most its first 64 KiB, then an invalid line. A build of a fork that was killed before a member approved it keeps no manifest and no jobs: then it is empty",
    ),
  tests: testsSchema.nullable().describe("Test results that the jobs have reported so far; null without reports"),
});

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const triggerJson = ({ type, comment, data }: Trigger = { type: Trigger_Type.manual, comment: "", data: {} }) => ({
  type,
  comment,
  data,
});

const queueJson = ({ position, reason }: NonNullable<Build["queue"]>) => ({
  position,
  reason: reason as QueueReason,
});

/** Returns the copy of a build that other records contain, without output and manifest. */
export const buildEmbed = (build: Build, relations: Relations): z.output<typeof buildCopySchema> => {
  const url = buildUrl(build, relations);
  return {
    id: build.id,
    user_id: build.userId,
    namespace_id: build.namespaceId ?? null,
    number: build.number,
    status: build.status,
    output: null,
    tags: build.tags.map(({ name }) => name).sort(byBytes),
    pinned: build.pinned,
    created_at: time(build.createdAt),
    started_at: timeOrNull(build.startedAt),
    finished_at: timeOrNull(build.finishedAt),
    reason: build.reason ?? null,
    url,
    objects_url: `${url}/objects`,
    variables_url: `${url}/variables`,
    keys_url: `${url}/keys`,
    jobs_url: `${url}/jobs`,
    artifacts_url: `${url}/artifacts`,
    tags_url: `${url}/tags`,
    output_url: `${url}/output`,
    content_url: contentUrl(`${url}/output`),
    user: userEmbed(build.userId, relations),
    namespace: namespaceEmbed(build.namespaceId, relations),
    trigger: triggerJson(build.trigger),
    queue: build.queue ? queueJson(build.queue) : null,
    group: build.group ?? null,
  };
};

/** Returns the complete record, for single responses, lists and event payloads. */
export const buildJson = (build: Build, relations: Relations): z.output<typeof buildSchema> => ({
  ...buildEmbed(build, relations),
  output: outputJson(build),
  manifest: build.manifest,
  tests: build.tests ?? null,
});
