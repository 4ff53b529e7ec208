import type { Build, Tag } from "@ci/proto/builds/v1/builds";
import { buildEmbed } from "./build.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { buildUrl, segments } from "./urls.js";
import { userEmbed } from "./user.js";

/** Where a tag of a build lives. */
export const tagUrl = (name: string, build: Build, known: Relations): string =>
  `${buildUrl(build, known)}/tags/${segments(name)}`;

/** A tag of a build; its user is who tagged. */
export const tagJson = (tag: Tag, build: Build, known: Relations) => ({
  id: tag.id,
  user_id: tag.userId,
  build_id: tag.buildId,
  name: tag.name,
  created_at: time(tag.createdAt),
  url: tagUrl(tag.name, build, known),
  user: userEmbed(tag.userId, known),
  build: buildEmbed(build, known),
});
