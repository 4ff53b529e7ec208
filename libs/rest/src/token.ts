import type { Token } from "@ci/proto/namespaces/v1/accounts";
import { z } from "zod";
import type { Relations } from "./relations.js";
import { id, record, timestamp, url } from "./schema.js";
import { time, timeOrNull } from "./time.js";
import { recordUrl } from "./urls.js";
import { userEmbed, userSchema } from "./user.js";

const fields = {
  id: id.describe("Id of the token"),
  user_id: id.describe("Id of the user that the token acts for"),
  name: z.string().describe("Name of the token"),
  scope: z.string().describe("Permissions of the token, such as `build:read,write image:read`"),
  created_at: timestamp.describe("When the token was created"),
  expires_at: timestamp.nullable().describe("When the token expires; null if it does not"),
  last_used_at: timestamp.nullable().describe("When the token was last used; null if never"),
  url: url.describe("Address of the token"),
  user: userSchema.describe("The user that the token acts for"),
};

export const tokenSchema = record("Token", "An API token, without its secret", fields);

export const newTokenSchema = record("NewToken", "An API token that was just created", {
  ...fields,
  secret: z.string().describe("Secret to send as the bearer token; shown only once"),
});

/** Returns a token without its secret. */
export const tokenJson = (token: Token, relations: Relations): z.output<typeof tokenSchema> => ({
  id: token.id,
  user_id: token.userId,
  name: token.name,
  scope: token.scope,
  created_at: time(token.createdAt),
  expires_at: timeOrNull(token.expiresAt),
  last_used_at: timeOrNull(token.lastUsedAt),
  url: recordUrl("tokens", token.id, relations),
  user: userEmbed(token.userId, relations),
});

export const newTokenJson = (token: Token, relations: Relations, secret: string): z.output<typeof newTokenSchema> => ({
  ...tokenJson(token, relations),
  secret,
});
