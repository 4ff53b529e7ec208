import {
  type HookDelivery,
  type Repository,
  Repository_Forks,
  Repository_Hook,
  Repository_Provider,
} from "@ci/proto/builds/v1/repositories";
import { z } from "zod";
import { hookDeliveryJson, hookDeliverySchema } from "./hook-delivery.js";
import { namespaceCopySchema, namespaceEmbed } from "./namespace-copy.js";
import type { Relations } from "./relations.js";
import { id, record, timestamp, url } from "./schema.js";
import { time, timeOrNull } from "./time.js";
import { userEmbed, userSchema } from "./user.js";

const fields = {
  id: id.describe("Id of the repository"),
  namespace_id: id.describe("Id of the namespace that the builds go to"),
  user_id: id.describe("Id of the user that the builds belong to"),
  provider: z.enum(Repository_Provider).describe("What hosts the repository"),
  url: z.string().describe("Address that the repository is cloned from"),
  hook_url: url.describe("Address that the provider sends its events to"),
  has_access_token: z.boolean().describe("Whether an access token is stored, for private repositories and statuses"),
  forks: z
    .enum(Repository_Forks)
    .describe(
      "Builds of pull requests from forks: `approve` lets a limited number of them wait for a member's approval (further ones are not made, and the hook's log says so), `run` runs them, `ignore` skips them and kills those that wait",
    ),
  cancel_superseded: z
    .boolean()
    .describe("Whether a newer push to a branch or pull request kills the builds of older pushes"),
  hook: z
    .enum(Repository_Hook)
    .describe("Whether the service registered `hook_url` at the provider, or a user has to add it `by_hand`"),
  hook_reason: z.string().nullable().describe("Why the hook is not registered; null if it is"),
  last_event_at: timestamp
    .nullable()
    .describe(
      "When the provider's newest event arrived, without repeated ones; null if none arrived while deliveries are kept",
    ),
  created_at: timestamp.describe("When the repository was connected"),
  user: userSchema.describe("The user that the builds belong to"),
  namespace: namespaceCopySchema.nullable().describe("The namespace; null if it is gone"),
};

export const repositorySchema = record("Repository", "A Git repository whose pushes submit builds", fields);

export const connectedSchema = record("ConnectedRepository", "A Git repository that was just connected", {
  ...fields,
  delivery: hookDeliverySchema
    .nullable()
    .describe("The delivery of the first builds; null if `build` was not requested or the repository has no commit"),
});

export const hookedSchema = record("Hooked", "The builds that a provider's event triggered", {
  builds: z.array(url).describe("Addresses of the submitted builds"),
});

/** Returns a repository without its secrets. */
export const repositoryJson = (repository: Repository, relations: Relations): z.output<typeof repositorySchema> => ({
  id: repository.id,
  namespace_id: repository.namespaceId,
  user_id: repository.userId,
  provider: repository.provider,
  url: repository.url,
  hook_url: `${relations.url}/hooks/${repository.provider}/${repository.id}`,
  has_access_token: repository.hasAccessToken,
  forks: repository.forks ?? "approve",
  cancel_superseded: repository.cancelSuperseded ?? false,
  hook: repository.hook ?? "by_hand",
  hook_reason: repository.hookReason ?? null,
  last_event_at: timeOrNull(repository.lastEventAt),
  created_at: time(repository.createdAt),
  user: userEmbed(repository.userId, relations),
  namespace: namespaceEmbed(repository.namespaceId, relations),
});

/** Returns a new repository with the delivery of its first builds. */
export const connectedJson = (
  repository: Repository,
  delivery: HookDelivery | undefined,
  relations: Relations,
): z.output<typeof connectedSchema> => ({
  ...repositoryJson(repository, relations),
  delivery: delivery ? hookDeliveryJson(delivery, repository.namespaceId, relations) : null,
});
