import type { Identity } from "@ci/proto/namespaces/v1/accounts";
import { z } from "zod";
import type { Relations } from "./relations.js";
import { id, record, timestamp, url } from "./schema.js";
import { time, timeOrNull } from "./time.js";
import { recordUrl } from "./urls.js";

export const identitySchema = record("Identity", "A user's identity at an OpenID Connect provider", {
  id: id.describe("Id of the identity"),
  user_id: id.describe("Id of the user who signs in with it"),
  issuer: z.string().describe("URL of the provider"),
  subject: z.string().describe("Id of the user at the provider"),
  name: z.string().describe("Username at the provider at the last sign-in; may be empty"),
  created_at: timestamp.describe("When it was connected to the user"),
  last_used_at: timestamp.nullable().describe("When the user last signed in with it; null if never"),
  url: url.describe("Address of the identity"),
});

export const identityJson = (
  identity: Identity,
  relations: Pick<Relations, "url">,
): z.output<typeof identitySchema> => ({
  id: identity.id,
  user_id: identity.userId,
  issuer: identity.issuer,
  subject: identity.subject,
  name: identity.name,
  created_at: time(identity.createdAt),
  last_used_at: timeOrNull(identity.lastUsedAt),
  url: recordUrl("user/identities", identity.id, relations),
});
