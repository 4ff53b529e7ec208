import type { Token } from "@ci/proto/namespaces/v1/accounts";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { recordUrl } from "./urls.js";
import { userEmbed } from "./user.js";

/** A token; the secret is there only in the answer that made it. */
export const tokenJson = (token: Token, known: Relations, secret?: string) => ({
  id: token.id,
  user_id: token.userId,
  name: token.name,
  scope: token.scope,
  created_at: time(token.createdAt),
  expires_at: time(token.expiresAt),
  last_used_at: time(token.lastUsedAt),
  url: recordUrl("tokens", token.id, known),
  user: userEmbed(token.userId, known),
  ...(secret === undefined ? {} : { secret }),
});
