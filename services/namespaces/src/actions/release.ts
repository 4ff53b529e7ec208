import type { Context } from "../context.js";

/**
 * Moves objects, variables and keys out of deleted namespaces to their users, renamed where the user already has one of
 * that name. Publishes no events. Safe to repeat, and after a crash.
 */
export async function releaseFromNamespaces(
  { objects, variables, keys }: Pick<Context, "objects" | "variables" | "keys">,
  namespaceIds: readonly number[],
): Promise<void> {
  for (const store of [objects, variables, keys]) await store.release(namespaceIds);
}
