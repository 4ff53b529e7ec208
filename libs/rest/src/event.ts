import type { BuildTagged, Event } from "@ci/proto/events/v1/events";
import type { Invite } from "@ci/proto/namespaces/v1/namespaces";
import { buildEmbed, buildJson } from "./build.js";
import { cronJson } from "./cron.js";
import { imageJson } from "./image.js";
import { keyJson } from "./key.js";
import { namespaceEmbed, namespaceJson } from "./namespace.js";
import { objectJson } from "./object.js";
import type { References, Relations } from "./relations.js";
import { tagUrl } from "./tag.js";
import { userEmbed } from "./user.js";
import { variableJson } from "./variable.js";

const taggedJson = ({ build, tags, userId }: BuildTagged, known: Relations) => {
  const copy = buildEmbed(build!, known);
  return {
    build: copy,
    tags: tags.map((name) => ({ name, url: tagUrl(name, build!, known) })),
    url: copy.tags_url,
    user: userEmbed(userId, known),
  };
};

const invitedJson = (kind: string, { inviteeId, inviterId, namespaceId }: Invite, known: Relations) => ({
  invitee: userEmbed(inviteeId, known),
  ...(kind === "invite.sent" ? { inviter: userEmbed(inviterId, known) } : {}),
  namespace: namespaceEmbed(namespaceId, known),
});

/**
 * The payload of an event, for webhooks and for event streams; undefined for the kinds that the services
 * have among themselves.
 */
export function eventJson({ kind, body }: Event, known: Relations): object | undefined {
  switch (body?.$case) {
    case "build":
      return buildJson(body.value, known);
    case "buildTagged":
      return taggedJson(body.value, known);
    case "invite":
      return invitedJson(kind, body.value, known);
    case "namespace":
      return { action: body.value.action, namespace: namespaceJson(body.value.namespace!, known) };
    case "cron":
      return { action: body.value.action, cron: cronJson(body.value.cron!, known) };
    case "image":
      return { action: body.value.action, image: imageJson(body.value.image!, known) };
    case "object":
      return { action: body.value.action, object: objectJson(body.value.object!, known) };
    case "variable":
      return { action: body.value.action, variable: variableJson(body.value.variable!, known) };
    case "key": {
      const key = keyJson(body.value.key!, known);
      return { action: body.value.action, ssh_key: key, key };
    }
    default:
      return undefined;
  }
}

/** Whether an event has the record that it is about. */
export function hasRecord({ body }: Event): boolean {
  if (!body) return false;
  switch (body.$case) {
    case "build":
    case "invite":
    case "token":
    case "collaborator":
      return true;
    case "buildTagged":
      return body.value.build !== undefined;
    default:
      return Reflect.get(body.value, body.$case) !== undefined;
  }
}

/** The records of an event whose users and namespaces its payload shows: resolve `wanted` of them first. */
export function eventRecords({ body }: Event): References[] {
  switch (body?.$case) {
    case "build":
    case "invite":
      return [body.value];
    case "buildTagged":
      return [body.value.build!, { userId: body.value.userId }];
    case "namespace":
      return [body.value.namespace!];
    case "cron":
      return [body.value.cron!];
    case "image":
      return [body.value.image!];
    case "object":
      return [body.value.object!];
    case "variable":
      return [body.value.variable!];
    case "key":
      return [body.value.key!];
    default:
      return [];
  }
}
