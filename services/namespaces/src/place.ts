import { Fault } from "@ci/kit/rpc/fault";
import type { Context } from "./context.js";
import { toNamespace } from "./domain/namespace.js";
import { namespaceScope, placeIn, userScope } from "./domain/scope.js";
import { enter } from "./enter.js";

/** Where a new record would go. */
export interface Site {
  /** What is wrong with the namespace that was named. */
  readonly complaints: readonly string[];
  /** Absent while the namespace does not exist: then every name is free there. */
  readonly scope?: string;
}

/** Looks up where somebody's new record would go, by `path`, `path@owner` or nothing. Creates nothing. */
export async function findSite(ctx: Context, name: string, userId: number): Promise<Site> {
  if (name === "") return { complaints: [], scope: userScope(userId) };
  try {
    const placed = await enter(ctx, { name, userId, create: false }, userId);
    return { complaints: [], scope: placed && namespaceScope(placed.doc._id) };
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === "invalid") return { complaints: thrown.fields?.namespace ?? [] };
    throw thrown;
  }
}

/** Makes what is missing of the namespace, now that every check has passed, and says whose the record becomes. */
export async function makeSite(ctx: Context, name: string, userId: number) {
  const placed = name === "" ? undefined : await enter(ctx, { name, userId, create: true }, userId);
  return placeIn(placed && toNamespace(placed), userId);
}

/** The complaint that a name is taken where the record would go, if it is. */
export async function takenAt(
  store: { has(scope: string, name: string): Promise<boolean> },
  { scope }: Site,
  name: string,
  complaint: string,
): Promise<string[]> {
  return scope !== undefined && name !== "" && (await store.has(scope, name)) ? [complaint] : [];
}
