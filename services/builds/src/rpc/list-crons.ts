import type { Context, CronHandlers } from "../context.js";
import { toCron } from "../domain/cron.js";
import { listedManifest } from "../domain/listed.js";

export const listCrons =
  (ctx: Context): CronHandlers["listCrons"] =>
  async ({ search, page: requested }, { caller }) => {
    const userId = caller.userId!;
    const { rootIds } = await ctx.accounts.listMemberships({ userId });
    const { items, page } = await ctx.crons.list({ userId, rootIds }, search, requested?.number);
    return { crons: items.map(toCron).map((cron) => ({ ...cron, manifest: listedManifest(cron.manifest) })), page };
  };
