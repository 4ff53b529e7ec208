import type { BuildTagged, Event } from "@ci/proto/events/v1/events";
import type { Invite } from "@ci/proto/namespaces/v1/namespaces";
import { buildEmbed, buildJson } from "./build.js";
import { cronJson } from "./cron.js";
import { imageJson } from "./image.js";
import { keyJson } from "./key.js";
import { namespaceJson } from "./namespace.js";
import { namespaceEmbed } from "./namespace-copy.js";
import { objectJson } from "./object.js";
import type { References, Relations } from "./relations.js";
import { tagUrl } from "./tag.js";
import { userEmbed } from "./user.js";
import { variableJson } from "./variable.js";

const taggedJson = ({ build, tags, userId }: BuildTagged, relations: Relations) => {
  const copy = buildEmbed(build!, relations);
  return {
    build: copy,
    tags: tags.map((name) => ({ name, url: tagUrl(name, build!, relations) })),
    url: copy.tags_url,
    user: userEmbed(userId, relations),
  };
};

const invitedJson = (kind: string, { inviteeId, inviterId, namespaceId }: Invite, relations: Relations) => ({
  invitee: userEmbed(inviteeId, relations),
  ...(kind === "invite.sent" ? { inviter: userEmbed(inviterId, relations) } : {}),
  namespace: namespaceEmbed(namespaceId, relations),
});

/** Returns the payload of an event for webhooks and event streams; undefined for events that only the services use. */
export function eventJson({ kind, body }: Event, relations: Relations): object | undefined {
  switch (body?.$case) {
    case "build":
      return buildJson(body.value, relations);
    case "buildTagged":
      return taggedJson(body.value, relations);
    case "invite":
      return invitedJson(kind, body.value, relations);
    case "namespace":
      return { action: body.value.action, namespace: namespaceJson(body.value.namespace!, relations) };
    case "cron":
      return { action: body.value.action, cron: cronJson(body.value.cron!, relations) };
    case "image":
      return { action: body.value.action, image: imageJson(body.value.image!, relations) };
    case "object":
      return { action: body.value.action, object: objectJson(body.value.object!, relations) };
    case "variable":
      return { action: body.value.action, variable: variableJson(body.value.variable!, relations) };
    case "key": {
      const key = keyJson(body.value.key!, relations);
      return { action: body.value.action, ssh_key: key, key };
    }
    default:
      return undefined;
  }
}

/** Reports whether an event carries its record. */
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

/** Returns the records that name the users and namespaces of an event's payload, for `relationIds`. */
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
