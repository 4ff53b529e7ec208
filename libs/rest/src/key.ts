import type { Build, BuildKey } from "@ci/proto/builds/v1/builds";
import type { Key } from "@ci/proto/namespaces/v1/resources";
import { z } from "zod";
import { buildCopySchema, buildEmbed } from "./build.js";
import { owned, owners, ownershipJson } from "./ownership.js";
import type { Relations } from "./relations.js";
import { id, record, timestamp } from "./schema.js";
import { time } from "./time.js";
import { recordUrl } from "./urls.js";

export const keySchema = record("Key", "An SSH key for builds, without its private half", {
  id: id.describe("Id of the key"),
  author_id: owned.author_id,
  user_id: owned.user_id,
  namespace_id: owned.namespace_id,
  name: z.string().describe("Name of the key, and of its file in a build"),
  config: z.string().describe("Lines for the SSH client's configuration"),
  created_at: owned.created_at,
  updated_at: timestamp.describe("When the key was last changed"),
  url: owned.url,
  ...owners,
});

export const buildKeySchema = record("BuildKey", "An SSH key as it was copied into a build", {
  id: id.describe("Id of this copy"),
  build_id: id.describe("Id of the build"),
  key_id: id.nullable().describe("Id of the key; null if it does not exist"),
  name: z.string().describe("Name of the key"),
  config: z.string().describe("Lines for the SSH client's configuration"),
  location: z.string().describe("Path of the private key in the build's environment"),
  build: buildCopySchema.describe("The build"),
});

/** Returns an SSH key without its private half. */
export const keyJson = (key: Key, relations: Relations): z.output<typeof keySchema> => ({
  id: key.id,
  author_id: key.authorId,
  user_id: key.userId,
  namespace_id: key.namespaceId ?? null,
  name: key.name,
  config: key.config,
  created_at: time(key.createdAt),
  updated_at: time(key.updatedAt),
  url: recordUrl("keys", key.id, relations),
  ...ownershipJson(key, relations),
});

/** Returns a key as it was copied into a build. */
export const buildKeyJson = (key: BuildKey, build: Build, relations: Relations): z.output<typeof buildKeySchema> => ({
  id: key.id,
  build_id: key.buildId,
  key_id: key.keyId ?? null,
  name: key.name,
  config: key.config,
  location: `/root/.ssh/${key.name}`,
  build: buildEmbed(build, relations),
});
