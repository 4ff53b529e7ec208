import type { Cron } from "@ci/proto/builds/v1/crons";
import { keeping } from "./kept.js";
import type { Known } from "./known.js";
import { time } from "./time.js";
import { recordUrl } from "./urls.js";

/** A cron job. */
export const cronJson = (cron: Cron, known: Known) => ({
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
  ...keeping(cron, known),
});
