import type { Deleted, Learn } from "@ci/access/follow-deletions";
import type { Bus } from "@ci/kit/bus/bus";
import { deactivateOfUser } from "../actions/apply-deletion.js";
import type { Context } from "../context.js";

/** Applies deletions whose events NATS has lost. It leaves those whose events may still come: webhooks report them. */
export const learnDeletions =
  (ctx: Pick<Context, "webhooks" | "deliveries" | "deletions" | "deferredEvents">, bus: Pick<Bus, "readsAll">): Learn =>
  async (found) => {
    const unknown = await ctx.deletions.missing(found);
    if (unknown.length === 0) return [];
    if (!(await bus.readsAll("webhooks"))) return unknown;
    const ids = unknown.filter(({ kind }) => kind === "namespace").map(({ id }) => id);
    // Ask this before what is missing: a deferred deletion is recorded before it is removed.
    const deferred = new Set(await ctx.deferredEvents.namespacesAmong(ids));
    const mayCome = ({ kind, id, unpublished }: Deleted) => unpublished || (kind === "namespace" && deferred.has(id));
    const lost = await ctx.deletions.missing(unknown.filter((deletion) => !mayCome(deletion)));
    for (const { kind, id, at = new Date() } of lost) if (kind === "user") await deactivateOfUser(ctx, id, at);
    await ctx.deletions.deleted(lost);
    return unknown.filter(mayCome);
  };
