import type { Known } from "./known.js";
import { namespaceEmbed } from "./namespace.js";
import { userEmbed } from "./user.js";

/** What all records have that somebody made for a namespace, or for nobody else to see. */
export interface Kept {
  readonly authorId: number;
  readonly userId: number;
  readonly namespaceId?: number;
}

/** Who made it, whose it is, and in which namespace: the end of such a record. */
export const keeping = ({ authorId, userId, namespaceId }: Kept, known: Known) => ({
  author: userEmbed(authorId, known),
  user: userEmbed(userId, known),
  namespace: namespaceEmbed(namespaceId, known),
});
