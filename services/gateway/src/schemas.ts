import { z } from "zod";

// The records of answers, for the description of the API and for tests that check answers against it: libs/rest makes
// the JSON.

const id = z.int().positive();
export const time = z.iso.datetime({ precision: 3 });
const url = z.url();
const status = z.enum(["queued", "running", "passed", "passed_with_failures", "failed", "killed", "timed_out"]);
const md5 = z.string().regex(/^[0-9a-f]{32}$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const user = z.object({ id, email: z.string(), username: z.string(), created_at: time });
export const account = user.extend({ admin: z.boolean() });

export const token = z.object({
  id,
  user_id: id,
  name: z.string(),
  scope: z.string(),
  created_at: time,
  expires_at: time.nullable(),
  last_used_at: time.nullable(),
  url,
  user,
});
export const newToken = token.extend({ secret: z.string() });

export const namespaceCopy = z.object({
  id,
  user_id: id,
  root_id: id,
  parent_id: id.nullable(),
  name: z.string(),
  path: z.string(),
  description: z.string(),
  visibility: z.enum(["private", "internal", "public"]),
  created_at: time,
  url,
  builds_url: url,
  namespaces_url: url,
  images_url: url,
  objects_url: url,
  variables_url: url,
  keys_url: url,
  invites_url: url,
  collaborators_url: url,
  webhooks_url: url,
  user,
});

export const trigger = z.object({
  type: z.enum(["manual", "push", "pull", "schedule"]),
  comment: z.string(),
  data: z.record(z.string(), z.string()),
});

const queue = z.object({
  position: z.int().positive(),
  reason: z.enum(["waiting for a runner", "limit of user", "limit of namespace", "no runner for driver"]),
});
export const buildCopy = z.object({
  id,
  user_id: id,
  namespace_id: id.nullable(),
  number: id,
  status,
  output: z.null(),
  tags: z.array(z.string()),
  pinned: z.boolean(),
  created_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable(),
  url,
  objects_url: url,
  variables_url: url,
  keys_url: url,
  jobs_url: url,
  artifacts_url: url,
  tags_url: url,
  output_url: url,
  user,
  namespace: namespaceCopy.nullable(),
  trigger,
  queue: queue.nullable(),
});
export const build = buildCopy.extend({ output: z.string().nullable(), manifest: z.string() });

export const namespace = namespaceCopy.extend({ parent: namespaceCopy.nullable(), build: buildCopy.nullable() });

export const jobCopy = z.object({
  id,
  build_id: id,
  stage: z.string(),
  name: z.string(),
  commmands: z.string(),
  commands: z.string(),
  status,
  output: z.null(),
  created_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable(),
  url,
  output_url: url,
});
export const job = jobCopy.extend({ output: z.string().nullable(), build: buildCopy });

export const buildObject = z.object({
  id,
  build_id: id,
  source: z.string(),
  name: z.string(),
  type: z.string().nullable(),
  md5: md5.nullable(),
  sha256: sha256.nullable(),
  placed: z.boolean(),
  object_url: url.nullable(),
  build: buildCopy,
});

export const buildVariable = z.object({
  id,
  build_id: id,
  key: z.string(),
  value: z.string(),
  masked: z.boolean(),
  variable_url: url.nullable(),
  build: buildCopy,
});

export const buildKey = z.object({
  id,
  build_id: id,
  key_id: id.nullable(),
  name: z.string(),
  config: z.string(),
  location: z.string(),
  build: buildCopy,
});

export const artifact = z.object({
  id,
  build_id: id,
  job_id: id,
  user_id: id,
  source: z.string(),
  name: z.string(),
  size: z.int().nonnegative().nullable(),
  md5: md5.nullable(),
  sha256: sha256.nullable(),
  created_at: time,
  deleted_at: time.nullable(),
  url,
  user,
  build: buildCopy,
  job: jobCopy,
});

export const tag = z.object({
  id,
  user_id: id,
  build_id: id,
  name: z.string(),
  created_at: time,
  url,
  user,
  build: buildCopy,
});

const kept = { author_id: id, user_id: id, namespace_id: id.nullable(), created_at: time, url };
const keepers = { author: user, user, namespace: namespaceCopy.nullable() };

export const image = z.object({
  id,
  ...kept,
  name: z.string(),
  ...keepers,
  driver: z.literal("qemu"),
  download: z
    .object({
      source: z.string(),
      error: z.string().nullable(),
      created_at: time,
      started_at: time.nullable(),
      finished_at: time.nullable(),
      received: z.int().nonnegative().nullable(),
      total: z.int().nonnegative().nullable(),
    })
    .nullable(),
});

export const object = z.object({
  id,
  ...kept,
  name: z.string(),
  type: z.string(),
  size: z.int().positive(),
  md5,
  sha256,
  builds_url: url,
  ...keepers,
});

export const variable = z.object({ id, ...kept, key: z.string(), value: z.string(), masked: z.boolean(), ...keepers });

export const key = z.object({ id, ...kept, name: z.string(), config: z.string(), updated_at: time, ...keepers });

export const cron = z.object({
  id,
  ...kept,
  name: z.string(),
  schedule: z.enum(["daily", "weekly", "monthly"]),
  manifest: z.string(),
  prev_run: time.nullable(),
  next_run: time,
  last_error: z.string().nullable(),
  ...keepers,
});

export const collaborator = user.extend({ url });

export const invite = z.object({
  id,
  namespace_id: id,
  inviter_id: id,
  invitee_id: id,
  created_at: time,
  url,
  inviter: user,
  invitee: user,
  namespace: namespaceCopy,
});
export const accepted = z.object({ namespace: namespaceCopy, inviter: user, invitee: user });

const outcome = {
  code: z.int().nullable(),
  duration: z.int().nonnegative(),
  error: z.string().nullable(),
  created_at: time,
};

const builds = ["submitted", "started", "finished", "tagged", "pinned", "unpinned"].map((what) => `build.${what}`);
const invites = ["invite.sent", "invite.accepted", "invite.rejected"];
const records = ["namespaces", "cron", "images", "objects", "variables", "ssh_keys"];
export const event = z.enum([...builds, ...invites, ...records]);

export const webhook = z.object({
  id,
  author_id: id,
  user_id: id,
  namespace_id: id,
  payload_url: z.string(),
  ssl: z.boolean(),
  events: z.array(event),
  active: z.boolean(),
  disabled_reason: z.enum(["gone", "failing"]).nullable(),
  created_at: time,
  url,
  namespace: namespaceCopy,
  last_response: z.object(outcome).nullable(),
});

export const delivery = z.object({
  id,
  delivery_id: z.uuid(),
  event_id: z.uuid(),
  event,
  status: z.enum(["pending", "delivered", "failed", "cancelled"]),
  code: z.int().nullable(),
  error: z.string().nullable(),
  duration: z.int().nullable(),
  attempt_count: z.int().nonnegative(),
  next_attempt_at: time.nullable(),
  created_at: time,
  url,
});
/** How many deliveries are sent once more. */
export const redelivered = z.object({ count: z.int() });
const headers = z.record(z.string(), z.string());
export const fullDelivery = delivery.extend({
  request: z.object({ headers, payload: z.string() }),
  response: z.object({ code: z.int(), headers, body: z.string(), truncated: z.boolean() }).nullable(),
  attempts: z.array(z.object({ number: z.int(), redelivery: z.boolean(), ...outcome })),
});

export const repository = z.object({
  id,
  namespace_id: id,
  user_id: id,
  provider: z.enum(["github", "gitlab", "gitea"]),
  url: z.string(),
  hook_url: url,
  has_access_token: z.boolean(),
  created_at: time,
  user,
  namespace: namespaceCopy,
});
/** What a provider's request has made. */
export const hooked = z.object({ builds: z.array(url) });
