import { namespaceScope, placement, userScope } from "@ci/access/record-scope";
import { Fault, type Fields, unauthorized } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { toNamespace } from "../domain/namespace.js";
import type { Place } from "../store/scoped.js";
import { enter, findEntrance } from "./enter.js";

export interface Site {
  /** What is wrong with the requested namespace. */
  readonly complaints: readonly string[];
  /** Absent while the namespace does not exist; any name is free there. */
  readonly scope?: string;
  /** The user whom the record will belong to, if the namespace is valid. */
  readonly userId?: number;
}

/** Finds where a user's new record belongs, by `path`, `path@owner` or nothing. Creates nothing. */
export async function findSite(ctx: Context, name: string, userId: number): Promise<Site> {
  if (name === "") return { complaints: [], scope: userScope(userId), userId };
  try {
    const { ownerId, elements, found } = await findEntrance(ctx, name, userId);
    const placed = found[elements.length - 1];
    return { complaints: [], scope: placed && namespaceScope(placed.doc._id), userId: ownerId };
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === "invalid") return { complaints: thrown.fields?.namespace ?? [] };
    throw thrown;
  }
}

/** Creates missing namespaces, so all checks must have passed. Returns the record's owner, namespace and scope. */
export async function createSite(ctx: Context, name: string, userId: number) {
  if (name !== "") return placement(toNamespace(await enter(ctx, { name, userId }, userId)), userId);
  const [user] = await ctx.users.byIds([userId]);
  if (!user || user.endedAt) throw unauthorized();
  return placement(undefined, userId);
}

/** Returns the complaint if the name is taken where the record belongs. */
export async function takenAt(
  store: { has(scope: string, name: string): Promise<boolean> },
  { scope }: Site,
  name: string,
  complaint: string,
): Promise<string[]> {
  return scope !== undefined && name !== "" && (await store.has(scope, name)) ? [complaint] : [];
}

/** Returns the complaint if a quota leaves no room for a new record. */
export const quotaComplaintsAt = async (
  store: { quotaComplaints(place: Place): Promise<Fields> },
  { scope, userId }: Site,
): Promise<Fields> => (userId === undefined ? {} : store.quotaComplaints({ scope, userId }));
