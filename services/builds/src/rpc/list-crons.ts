import { inListingTurn } from "../actions/list-turns.js";
import type { Context, CronHandlers } from "../context.js";
import { toCron } from "../domain/cron.js";

export const listCrons =
  (ctx: Context): CronHandlers["listCrons"] =>
  async ({ search, page: requested }, { caller, signal }) => {
    const userId = caller.userId!;
    const { rootIds } = await ctx.accounts.listMemberships({ userId });
    const read = () => ctx.crons.list({ userId, rootIds }, search, requested?.number);
    const { items, page } = await inListingTurn(userId, read, signal);
    return { crons: items.map(toCron), page };
  };
