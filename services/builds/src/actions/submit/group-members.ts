import type { Context } from "../../context.js";
import { announce } from "./announce.js";

/** Returns the builds of a group in order. Those that a crash has kept from being stored are stored first. */
export async function groupMembers(ctx: Context, id: number) {
  await ctx.builds.completeGroups((docs) => announce(ctx, docs), id);
  return ctx.builds.ofGroup(id);
}
