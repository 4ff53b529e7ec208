import type { ResourceParts } from "./resource-parts.js";

/**
 * Takes objects, variables and keys out of deleted namespaces: they become their user's alone, under a longer name
 * where the user has one of that name already. No event tells of it. Harmless when interrupted and done again.
 */
export async function releaseFromNamespaces(
  { objects, variables, keys }: Pick<ResourceParts, "objects" | "variables" | "keys">,
  namespaceIds: readonly number[],
): Promise<void> {
  for (const store of [objects, variables, keys]) await store.release(namespaceIds);
}
