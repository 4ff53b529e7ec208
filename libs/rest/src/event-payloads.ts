import { z } from "zod";
import { buildCopySchema, buildSchema } from "./build.js";
import { cronSchema } from "./cron.js";
import type { EventName } from "./event-names.js";
import { imageSchema } from "./image.js";
import { keySchema } from "./key.js";
import { namespaceSchema } from "./namespace.js";
import { namespaceCopySchema } from "./namespace-copy.js";
import { objectSchema } from "./object.js";
import { record, url } from "./schema.js";
import { userSchema } from "./user.js";
import { variableSchema } from "./variable.js";

const action = z.enum(["created", "updated", "deleted"]).describe("What happened");
const changed = <S extends z.ZodRawShape>(name: string, what: string, fields: S) =>
  record(name, `${what} that was created, updated or deleted`, { action, ...fields });

const tagged = record("BuildTagged", "New tags of a build", {
  build: buildCopySchema.describe("The build"),
  tags: z
    .array(z.object({ name: z.string().describe("Name of the tag"), url: url.describe("Address of the tag") }))
    .describe("The new tags"),
  url: url.describe("Address of the list of the build's tags"),
  user: userSchema.describe("The user that added the tags"),
});

const answered = record("InviteAnswered", "An invite that was accepted or rejected", {
  invitee: userSchema.describe("The user that was invited"),
  namespace: namespaceCopySchema.nullable().describe("The namespace; null if it is gone"),
});

const sent = record("InviteSent", "An invite that was sent", {
  ...answered.shape,
  inviter: userSchema.describe("The user that sent the invite"),
});

/** What webhooks and event streams carry for each event. */
export const eventPayloads = {
  "build.submitted": buildSchema,
  "build.started": buildSchema,
  "build.finished": buildSchema,
  "build.tagged": tagged,
  "build.pinned": buildSchema,
  "build.unpinned": buildSchema,
  "invite.sent": sent,
  "invite.accepted": answered,
  "invite.rejected": answered,
  namespaces: changed("NamespaceChanged", "A namespace", { namespace: namespaceSchema }),
  cron: changed("CronChanged", "A cron job", { cron: cronSchema }),
  images: changed("ImageChanged", "A disk image", { image: imageSchema }),
  objects: changed("ObjectChanged", "A file that builds can use", { object: objectSchema }),
  variables: changed("VariableChanged", "An environment variable", { variable: variableSchema }),
  ssh_keys: changed("KeyChanged", "An SSH key", { ssh_key: keySchema, key: keySchema }),
} satisfies Readonly<Record<EventName, z.ZodType>>;
