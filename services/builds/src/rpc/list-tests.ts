import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";

export const listTests =
  (ctx: Context): Handlers["listTests"] =>
  async ({ ref, status, slowestFirst, page: requested }, { caller }) => {
    const { _id: buildId, epoch } = await seeBuild(ctx, caller, ref, ["epoch"]);
    const { items, page } = await ctx.tests.list({ buildId, epoch }, { status, slowestFirst }, requested?.number);
    return { tests: items, page };
  };
