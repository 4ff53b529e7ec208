import type { Build, BuildObject } from "@ci/proto/builds/v1/builds";
import type { StoredObject } from "@ci/proto/namespaces/v1/resources";
import { z } from "zod";
import { buildCopySchema, buildEmbed } from "./build.js";
import { owned, owners, ownershipJson } from "./ownership.js";
import type { Relations } from "./relations.js";
import { id, md5, record, sha256, url } from "./schema.js";
import { time } from "./time.js";
import { contentUrl, recordUrl, recordUrlIfAny } from "./urls.js";

export const objectSchema = record("Object", "A file that builds can use", {
  id: id.describe("Id of the object"),
  author_id: owned.author_id,
  user_id: owned.user_id,
  namespace_id: owned.namespace_id,
  name: z.string().describe("Name of the object"),
  type: z.string().describe("Media type of the content"),
  size: z.int().positive().describe("Size in bytes"),
  md5: md5.describe("MD5 of the content"),
  sha256: sha256.describe("SHA-256 of the content"),
  created_at: owned.created_at,
  url: owned.url,
  content_url: url.describe("Address to download the content from"),
  builds_url: url.describe("Address of the list of builds that used the object"),
  ...owners,
});

export const buildObjectSchema = record("BuildObject", "An object that a build's manifest lists", {
  id: id.describe("Id of this entry"),
  build_id: id.describe("Id of the build"),
  source: z.string().describe("Name of the object"),
  name: z.string().describe("Path that the object is placed at"),
  type: z.string().nullable().describe("Media type of the content; null if the object was not found"),
  md5: md5.nullable().describe("MD5 of the content; null if the object was not found"),
  sha256: sha256.nullable().describe("SHA-256 of the content; null if the object was not found"),
  placed: z.boolean().describe("Whether the object was placed into the build's environment"),
  object_url: url.nullable().describe("Address of the object; null if it does not exist"),
  build: buildCopySchema.describe("The build"),
});

export const objectJson = (object: StoredObject, relations: Relations): z.output<typeof objectSchema> => {
  const url = recordUrl("objects", object.id, relations);
  return {
    id: object.id,
    author_id: object.authorId,
    user_id: object.userId,
    namespace_id: object.namespaceId ?? null,
    name: object.name,
    type: object.type,
    size: object.size,
    md5: object.md5,
    sha256: object.sha256,
    created_at: time(object.createdAt),
    url,
    content_url: contentUrl(url),
    builds_url: `${url}/builds`,
    ...ownershipJson(object, relations),
  };
};

/** An object that a build's manifest lists. */
export const buildObjectJson = (
  object: BuildObject,
  build: Build,
  relations: Relations,
): z.output<typeof buildObjectSchema> => ({
  id: object.id,
  build_id: object.buildId,
  source: object.source,
  name: object.name,
  type: object.type ?? null,
  md5: object.md5 ?? null,
  sha256: object.sha256 ?? null,
  placed: object.placed,
  object_url: recordUrlIfAny("objects", object.objectId, relations),
  build: buildEmbed(build, relations),
});
