import type { Collaborator } from "@ci/proto/namespaces/v1/namespaces";
import type { z } from "zod";
import type { Relations } from "./relations.js";
import { record, timestamp, url } from "./schema.js";
import { time } from "./time.js";
import { namespaceUrlOf } from "./urls.js";
import { userEmbed, userSchema } from "./user.js";

const { id, email, username } = userSchema.shape;

export const collaboratorSchema = record("Collaborator", "A user who works in a namespace's tree without owning it", {
  id,
  email,
  username,
  created_at: timestamp.describe("When the user became a collaborator"),
  url: url.nullable().describe("Address for removing the collaborator; null if the namespace is gone"),
});

/** Returns a collaborator. */
export const collaboratorJson = (
  { userId, rootId, createdAt }: Collaborator,
  relations: Relations,
): z.output<typeof collaboratorSchema> => {
  const { id, email, username } = userEmbed(userId, relations);
  const root = namespaceUrlOf(rootId, relations);
  const url = root === null ? null : `${root}/-/collaborators/${encodeURIComponent(username)}`;
  return { id, email, username, created_at: time(createdAt), url };
};
