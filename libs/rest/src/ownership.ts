import { namespaceEmbed } from "./namespace.js";
import type { Relations } from "./relations.js";
import { userEmbed } from "./user.js";

/** What all records have that somebody made for a namespace, or for nobody else to see. */
export interface Ownership {
  readonly authorId: number;
  readonly userId: number;
  readonly namespaceId?: number;
}

/** Who made it, whose it is, and in which namespace: the end of such a record. */
export const ownershipJson = ({ authorId, userId, namespaceId }: Ownership, known: Relations) => ({
  author: userEmbed(authorId, known),
  user: userEmbed(userId, known),
  namespace: namespaceEmbed(namespaceId, known),
});
