import { type Build, type Trigger, Trigger_Type } from "@ci/proto/builds/v1/builds";
import { namespaceEmbed } from "./namespace.js";
import { outputJson } from "./output.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { buildUrl } from "./urls.js";
import { userEmbed } from "./user.js";

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const triggerJson = ({ type, comment, data }: Trigger = { type: Trigger_Type.manual, comment: "", data: {} }) => ({
  type,
  comment,
  data,
});

/** The copy of a build inside other records: without output and manifest. */
export const buildEmbed = (build: Build, known: Relations) => {
  const url = buildUrl(build, known);
  return {
    id: build.id,
    user_id: build.userId,
    namespace_id: build.namespaceId ?? null,
    number: build.number,
    status: build.status,
    output: null as string | null,
    tags: build.tags.map(({ name }) => name).sort(byBytes),
    pinned: build.pinned,
    created_at: time(build.createdAt),
    started_at: time(build.startedAt),
    finished_at: time(build.finishedAt),
    url,
    objects_url: `${url}/objects`,
    variables_url: `${url}/variables`,
    keys_url: `${url}/keys`,
    jobs_url: `${url}/jobs`,
    artifacts_url: `${url}/artifacts`,
    tags_url: `${url}/tags`,
    output_url: `${url}/output`,
    user: userEmbed(build.userId, known),
    namespace: namespaceEmbed(build.namespaceId, known),
    trigger: triggerJson(build.trigger),
    queue: build.queue ? { position: build.queue.position, reason: build.queue.reason } : null,
  };
};

/** The whole record, in single answers, lists and event payloads. */
export const buildJson = (build: Build, known: Relations) => ({
  ...buildEmbed(build, known),
  output: outputJson(build),
  manifest: build.manifest,
});
