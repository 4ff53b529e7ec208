import type { Cron } from "@ci/proto/builds/v1/crons";
import { z } from "zod";
import { owned, owners, ownershipJson } from "./ownership.js";
import type { Relations } from "./relations.js";
import { id, record, timestamp } from "./schema.js";
import { time, timeOrNull } from "./time.js";
import { recordUrl } from "./urls.js";

export const cronSchema = record("Cron", "A cron job: a build that is submitted on a schedule", {
  id: id.describe("Id of the cron job"),
  user_id: owned.user_id,
  author_id: owned.author_id,
  namespace_id: owned.namespace_id,
  name: z.string().describe("Name of the cron job"),
  schedule: z
    .string()
    .describe(
      "When the build is submitted: `hourly`, `daily`, `weekly`, `monthly`, or the five fields of an expression",
    ),
  timezone: z.string().describe("IANA time zone of the schedule"),
  manifest: z.string().describe("Manifest of the builds; in lists at most its first 64 KiB, then an invalid line"),
  created_at: owned.created_at,
  prev_run: timestamp.nullable().describe("When the last build was submitted; null before the first"),
  next_run: timestamp.describe("When the next build is due"),
  last_error: z.string().nullable().describe("Why the last build could not be submitted; null if it was"),
  url: owned.url,
  ...owners,
});

export const cronJson = (cron: Cron, relations: Relations): z.output<typeof cronSchema> => ({
  id: cron.id,
  user_id: cron.userId,
  author_id: cron.authorId,
  namespace_id: cron.namespaceId ?? null,
  name: cron.name,
  schedule: cron.expression ?? cron.schedule,
  timezone: cron.timezone ?? "UTC",
  manifest: cron.manifest,
  created_at: time(cron.createdAt),
  prev_run: timeOrNull(cron.prevRun),
  next_run: time(cron.nextRun),
  last_error: cron.lastError ?? null,
  url: recordUrl("cron", cron.id, relations),
  ...ownershipJson(cron, relations),
});
