import type { Build, BuildKey } from "@ci/proto/builds/v1/builds";
import type { Key } from "@ci/proto/namespaces/v1/resources";
import { buildEmbed } from "./build.js";
import { ownershipJson } from "./ownership.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { recordUrl } from "./urls.js";

/** An SSH key, without its private half. */
export const keyJson = (key: Key, known: Relations) => ({
  id: key.id,
  author_id: key.authorId,
  user_id: key.userId,
  namespace_id: key.namespaceId ?? null,
  name: key.name,
  config: key.config,
  created_at: time(key.createdAt),
  updated_at: time(key.updatedAt),
  url: recordUrl("keys", key.id, known),
  ...ownershipJson(key, known),
});

/** A key as it was copied into a build. */
export const buildKeyJson = (key: BuildKey, build: Build, known: Relations) => ({
  id: key.id,
  build_id: key.buildId,
  key_id: key.keyId ?? null,
  name: key.name,
  config: key.config,
  location: `/root/.ssh/${key.name}`,
  build: buildEmbed(build, known),
});
