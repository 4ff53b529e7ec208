import type { Cron } from "@ci/proto/builds/v1/crons";
import { ownershipJson } from "./ownership.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { recordUrl } from "./urls.js";

/** A cron job. */
export const cronJson = (cron: Cron, known: Relations) => ({
  id: cron.id,
  user_id: cron.userId,
  author_id: cron.authorId,
  namespace_id: cron.namespaceId ?? null,
  name: cron.name,
  schedule: cron.schedule,
  manifest: cron.manifest,
  created_at: time(cron.createdAt),
  prev_run: time(cron.prevRun),
  next_run: time(cron.nextRun),
  last_error: cron.lastError ?? null,
  url: recordUrl("cron", cron.id, known),
  ...ownershipJson(cron, known),
});
