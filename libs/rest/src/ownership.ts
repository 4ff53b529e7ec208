import type { z } from "zod";
import { namespaceCopySchema, namespaceEmbed } from "./namespace-copy.js";
import type { Relations } from "./relations.js";
import { id, timestamp, url } from "./schema.js";
import { userEmbed, userSchema } from "./user.js";

/** Fields of every record that belongs to a namespace or to a user alone. */
export const owned = {
  author_id: id.describe("Id of the user that created the record"),
  user_id: id.describe("Id of the owner: the namespace's, or the author if there is no namespace"),
  namespace_id: id.nullable().describe("Id of the namespace; null for a record without one"),
  created_at: timestamp.describe("When the record was created"),
  url: url.describe("Address of the record"),
};

/** The last fields of such a record. */
export const owners = {
  author: userSchema.describe("The user that created the record"),
  user: userSchema.describe("The owner"),
  namespace: namespaceCopySchema.nullable().describe("The namespace; null for a record without one"),
};

/** The ids of a record's author, owner and namespace. */
interface Ownership {
  readonly authorId: number;
  readonly userId: number;
  readonly namespaceId?: number;
}

type OwnershipJson = { readonly [field in keyof typeof owners]: z.output<(typeof owners)[field]> };

/** Returns the author, the owner and the namespace of a record. */
export const ownershipJson = ({ authorId, userId, namespaceId }: Ownership, relations: Relations): OwnershipJson => ({
  author: userEmbed(authorId, relations),
  user: userEmbed(userId, relations),
  namespace: namespaceEmbed(namespaceId, relations),
});
