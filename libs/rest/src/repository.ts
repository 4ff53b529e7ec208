import type { Repository } from "@ci/proto/builds/v1/repositories";
import { namespaceEmbed } from "./namespace.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { userEmbed } from "./user.js";

/** A repository whose pushes make builds, without its secrets. */
export const repositoryJson = (repository: Repository, known: Relations) => ({
  id: repository.id,
  namespace_id: repository.namespaceId,
  user_id: repository.userId,
  provider: repository.provider,
  url: repository.url,
  hook_url: `${known.url}/hooks/${repository.provider}/${repository.id}`,
  has_access_token: repository.hasAccessToken,
  created_at: time(repository.createdAt),
  user: userEmbed(repository.userId, known),
  namespace: namespaceEmbed(repository.namespaceId, known),
});
