import type { Context } from "../context.js";

/** Moves records of deleted namespaces to their users, renamed if need be, without events. Safe to repeat. */
export async function releaseFromNamespaces(
  { objects, variables, keys }: Pick<Context, "objects" | "variables" | "keys">,
  namespaceIds: readonly number[],
): Promise<void> {
  for (const store of [objects, variables, keys]) await store.release(namespaceIds);
}
