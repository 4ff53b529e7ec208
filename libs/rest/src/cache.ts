import type { Cache } from "@ci/proto/builds/v1/builds";
import { Driver_Type } from "@ci/proto/builds/v1/queue";
import { z } from "zod";
import { namespaceCopySchema, namespaceEmbed } from "./namespace-copy.js";
import type { Relations } from "./relations.js";
import { bytes, id, record, sha256, timestamp } from "./schema.js";
import { time } from "./time.js";
import { userEmbed, userSchema } from "./user.js";

export const cacheSchema = record("Cache", "A cache entry: files that builds keep for later builds", {
  id: id.describe("Id of the entry"),
  user_id: id.describe("Id of the owner: the namespace's owner, or the user whose builds use the entry"),
  namespace_id: id.nullable().describe("Id of the root namespace whose builds use it; null if a user's own builds do"),
  name: z.string().describe("Name of the cache, from the manifest"),
  key: sha256.describe("Hash of the key files"),
  driver: z.enum(Driver_Type).describe("Driver of the builds that use the entry"),
  size: bytes.describe("Size of the files in bytes"),
  stored_size: bytes.describe("Compressed size in bytes"),
  created_at: timestamp.describe("When it was stored"),
  used_at: timestamp.describe("When a build last used it"),
  user: userSchema.describe("The owner"),
  namespace: namespaceCopySchema.nullable().describe("The root namespace; null for an entry without one"),
});

export const cacheJson = (cache: Cache, relations: Relations): z.output<typeof cacheSchema> => ({
  id: cache.id,
  user_id: cache.userId,
  namespace_id: cache.namespaceId ?? null,
  name: cache.name,
  key: cache.key,
  driver: cache.driver as Driver_Type,
  size: cache.size,
  stored_size: cache.storedSize,
  created_at: time(cache.createdAt),
  used_at: time(cache.usedAt),
  user: userEmbed(cache.userId, relations),
  namespace: namespaceEmbed(cache.namespaceId, relations),
});
