import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { z } from "zod";
import { buildCopySchema, buildEmbed } from "./build.js";
import { namespaceCopySchema, namespaceEmbed, namespaceFields } from "./namespace-copy.js";
import type { Relations } from "./relations.js";
import { record } from "./schema.js";

export const namespaceSchema = record("Namespace", "A namespace", {
  ...namespaceCopySchema.shape,
  parent: namespaceCopySchema.nullable().describe("The parent; null for the root of a tree"),
  build: buildCopySchema.nullable().describe("The newest build of the namespace; null if there is none"),
});

/** Returns a namespace with its parent and its newest build in `relations`. */
export const namespaceJson = (namespace: Namespace, relations: Relations): z.output<typeof namespaceSchema> => {
  // The newest build embeds the namespace too, even a deleted one, which Resolve no longer returns.
  const withSelf = { ...relations, namespaces: new Map(relations.namespaces).set(namespace.id, namespace) };
  const build = relations.latest?.get(namespace.id);
  return {
    ...namespaceFields(namespace, relations),
    parent: namespaceEmbed(namespace.parentId, relations),
    build: build ? buildEmbed(build, withSelf) : null,
  };
};
