import { pageOf } from "@ci/kit/rpc/page";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";

export const listTests =
  (ctx: Context): Handlers["listTests"] =>
  async ({ ref, status, slowestFirst, page: requested }, { caller }) => {
    const { _id: buildId, epoch, startedAt } = await seeBuild(ctx, caller, ref, ["epoch"]);
    // Until the next claim, the epoch is that of an attempt that was lost.
    const { items, page } = startedAt
      ? await ctx.tests.list({ buildId, epoch }, { status, slowestFirst }, requested?.number)
      : pageOf([], requested?.number);
    return { tests: items, page };
  };
