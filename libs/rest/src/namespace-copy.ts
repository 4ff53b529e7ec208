import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { z } from "zod";
import type { Relations } from "./relations.js";
import { id, record, timestamp, url } from "./schema.js";
import { time } from "./time.js";
import { namespaceUrl } from "./urls.js";
import { userEmbed, userSchema } from "./user.js";
import { type Visibility, visibilities } from "./visibilities.js";

export const namespaceCopySchema = record("NamespaceCopy", "A namespace inside another record", {
  id: id.describe("Id of the namespace"),
  user_id: id.describe("Id of the owner"),
  root_id: id.describe("Id of the topmost namespace of the tree"),
  parent_id: id.nullable().describe("Id of the parent; null for the root of a tree"),
  name: z.string().describe("Name of the namespace"),
  path: z.string().describe("Names from the root of the tree down to this namespace, separated by slashes"),
  description: z.string().describe("Description of the namespace"),
  visibility: z.enum(visibilities).describe("Who can see the namespace: its members, every user, or everyone"),
  created_at: timestamp.describe("When the namespace was created"),
  url: url.describe("Address of the namespace"),
  builds_url: url.describe("Address of the list of its builds"),
  namespaces_url: url.describe("Address of the list of its direct children"),
  images_url: url.describe("Address of the list of its images"),
  objects_url: url.describe("Address of the list of its objects"),
  variables_url: url.describe("Address of the list of its variables"),
  keys_url: url.describe("Address of the list of its SSH keys"),
  invites_url: url.describe("Address of the list of open invites to its tree"),
  collaborators_url: url.describe("Address of the list of its tree's collaborators"),
  webhooks_url: url.describe("Address of the list of its webhooks"),
  user: userSchema.describe("The owner"),
});

/** Returns the fields that a namespace and its copies share. */
export const namespaceFields = (namespace: Namespace, relations: Relations): z.output<typeof namespaceCopySchema> => {
  const url = namespaceUrl(namespace, relations);
  return {
    id: namespace.id,
    user_id: namespace.userId,
    root_id: namespace.rootId,
    parent_id: namespace.parentId ?? null,
    name: namespace.name,
    path: namespace.path,
    description: namespace.description,
    visibility: namespace.visibility as Visibility,
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
    user: userEmbed(namespace.userId, relations),
  };
};

/** Returns the copy of a namespace for other records; null without a namespace, or if it is gone. */
export const namespaceEmbed = (
  namespaceId: number | undefined,
  relations: Relations,
): z.output<typeof namespaceCopySchema> | null => {
  const namespace = namespaceId === undefined ? undefined : relations.namespaces.get(namespaceId);
  return namespace ? namespaceFields(namespace, relations) : null;
};
