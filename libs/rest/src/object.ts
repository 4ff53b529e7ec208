import type { Build, BuildObject } from "@ci/proto/builds/v1/builds";
import type { StoredObject } from "@ci/proto/namespaces/v1/resources";
import { buildEmbed } from "./build.js";
import { ownershipJson } from "./ownership.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { recordUrl, recordUrlIfAny } from "./urls.js";

/** An object. */
export const objectJson = (object: StoredObject, known: Relations) => {
  const url = recordUrl("objects", object.id, known);
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
    builds_url: `${url}/builds`,
    ...ownershipJson(object, known),
  };
};

/** An object that a build's manifest lists. */
export const buildObjectJson = (object: BuildObject, build: Build, known: Relations) => ({
  id: object.id,
  build_id: object.buildId,
  source: object.source,
  name: object.name,
  type: object.type ?? null,
  md5: object.md5 ?? null,
  sha256: object.sha256 ?? null,
  placed: object.placed,
  object_url: recordUrlIfAny("objects", object.objectId, known),
  build: buildEmbed(build, known),
});
