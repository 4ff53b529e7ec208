import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { buildEmbed } from "./build.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { namespaceUrl } from "./urls.js";
import { userEmbed } from "./user.js";

const shown = (namespace: Namespace, known: Relations) => {
  const url = namespaceUrl(namespace, known);
  return {
    id: namespace.id,
    user_id: namespace.userId,
    root_id: namespace.rootId,
    parent_id: namespace.parentId ?? null,
    name: namespace.name,
    path: namespace.path,
    description: namespace.description,
    visibility: namespace.visibility,
    created_at: time(namespace.createdAt),
    url,
    builds_url: `${url}/-/builds`,
    namespaces_url: `${url}/-/namespaces`,
    images_url: `${url}/-/images`,
    objects_url: `${url}/-/objects`,
    variables_url: `${url}/-/variables`,
    keys_url: `${url}/-/keys`,
    invites_url: `${url}/-/invites`,
    collaborators_url: `${url}/-/collaborators`,
    webhooks_url: `${url}/-/webhooks`,
    user: userEmbed(namespace.userId, known),
  };
};

/** The copy of a namespace inside other records; null for a record without one, and for one that is gone. */
export const namespaceEmbed = (namespaceId: number | undefined, known: Relations) => {
  const namespace = namespaceId === undefined ? undefined : known.namespaces.get(namespaceId);
  return namespace ? shown(namespace, known) : null;
};

/** The whole record, with its parent and the newest build that `known` has of it. */
export const namespaceJson = (namespace: Namespace, known: Relations) => {
  // Its newest build shows the namespace too, also one that Resolve no longer knows because it was just deleted.
  const inside = { ...known, namespaces: new Map(known.namespaces).set(namespace.id, namespace) };
  const build = known.latest?.get(namespace.id);
  return {
    ...shown(namespace, known),
    parent: namespaceEmbed(namespace.parentId, known),
    build: build ? buildEmbed(build, inside) : null,
  };
};
