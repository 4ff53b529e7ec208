import type { Session } from "@ci/proto/namespaces/v1/accounts";
import { z } from "zod";
import type { Relations } from "./relations.js";
import { id, record, timestamp, url } from "./schema.js";
import { time, timeOrNull } from "./time.js";
import { recordUrl } from "./urls.js";

export const sessionSchema = record("Session", "A session of the web page, without its secret", {
  id: id.describe("Id of the session"),
  user_id: id.describe("Id of the user who signed in"),
  token_id: id.describe("Id of the token that the session acts for; it ends with that token"),
  created_at: timestamp.describe("When the user signed in"),
  expires_at: timestamp.describe("When the session expires"),
  last_used_at: timestamp.nullable().describe("When the session was last used; null if never"),
  user_agent: z.string().describe("User agent of the browser"),
  address: z.string().describe("IP address that the user signed in from"),
  current: z.boolean().describe("Whether it is the session of this request"),
  url: url.describe("Address of the session"),
});

export const signInLinkSchema = record("SignInLink", "A link that signs in one browser, once", {
  secret: z.string().describe("Secret for `link` of `POST /session`; shown only once"),
  expires_at: timestamp.describe("When the link expires"),
  url: url.describe("Address of the page that signs in with the link"),
});

/** Returns a session. `currentId` is the id of the request's own session. */
export const sessionJson = (
  session: Session,
  relations: Pick<Relations, "url">,
  currentId: number | undefined,
): z.output<typeof sessionSchema> => ({
  id: session.id,
  user_id: session.userId,
  token_id: session.tokenId,
  created_at: time(session.createdAt),
  expires_at: time(session.expiresAt),
  last_used_at: timeOrNull(session.lastUsedAt),
  user_agent: session.userAgent,
  address: session.address,
  current: session.id === currentId,
  url: recordUrl("user/sessions", session.id, relations),
});

export const signInLinkJson = (
  secret: string,
  expiresAt: Date | undefined,
  relations: Pick<Relations, "url">,
): z.output<typeof signInLinkSchema> => ({
  secret,
  expires_at: time(expiresAt),
  url: `${relations.url}/-/sign-in#${secret}`,
});
