import type { Collaborator } from "@ci/proto/namespaces/v1/namespaces";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { namespaceUrlOf } from "./urls.js";
import { userEmbed } from "./user.js";

/** A collaborator: the user, since when, and the address to remove them at. */
export const collaboratorJson = ({ userId, rootId, createdAt }: Collaborator, known: Relations) => {
  const { id, email, username } = userEmbed(userId, known);
  const root = namespaceUrlOf(rootId, known);
  const url = root === null ? null : `${root}/-/collaborators/${encodeURIComponent(username)}`;
  return { id, email, username, created_at: time(createdAt), url };
};
