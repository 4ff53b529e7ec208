import type { Build, Tag } from "@ci/proto/builds/v1/builds";
import { z } from "zod";
import { buildCopySchema, buildEmbed } from "./build.js";
import type { Relations } from "./relations.js";
import { id, record, timestamp, url } from "./schema.js";
import { time } from "./time.js";
import { buildUrl, segments } from "./urls.js";
import { userEmbed, userSchema } from "./user.js";

export const tagSchema = record("Tag", "A tag of a build", {
  id: id.describe("Id of the tag"),
  user_id: id.describe("Id of the user that added the tag"),
  build_id: id.describe("Id of the build"),
  name: z.string().describe("Name of the tag"),
  created_at: timestamp.describe("When the tag was added"),
  url: url.describe("Address of the tag"),
  user: userSchema.describe("The user that added the tag"),
  build: buildCopySchema.describe("The build"),
});

export const tagUrl = (name: string, build: Build, relations: Relations): string =>
  `${buildUrl(build, relations)}/tags/${segments(name)}`;

export const tagJson = (tag: Tag, build: Build, relations: Relations): z.output<typeof tagSchema> => ({
  id: tag.id,
  user_id: tag.userId,
  build_id: tag.buildId,
  name: tag.name,
  created_at: time(tag.createdAt),
  url: tagUrl(tag.name, build, relations),
  user: userEmbed(tag.userId, relations),
  build: buildEmbed(build, relations),
});
