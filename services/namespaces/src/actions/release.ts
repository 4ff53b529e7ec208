import type { Context } from "../context.js";

/** Moves about `most` records of each kind to their users, renamed if need be, without events. Safe to repeat. */
export async function releaseFromNamespaces(
  { objects, variables, keys }: Pick<Context, "objects" | "variables" | "keys">,
  namespaceIds: readonly number[],
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  await Promise.all([objects, variables, keys].map((store) => store.releaseFrom(namespaceIds, most)));
}
