import type { Context, OperatorHandlers } from "../../context.js";

export const listRunners =
  (ctx: Context): OperatorHandlers["listRunners"] =>
  async ({ page: requested }) => {
    const { items, page } = await ctx.runners.list(2 * ctx.config.leaseMs, requested?.number);
    const busy = await ctx.queue.runningOnRunners(items.map(({ _id }) => _id));
    const runners = items.map(({ _id: id, drivers, places, at, active }) => ({
      id,
      drivers,
      places,
      active,
      seenAt: at,
      busy: busy.get(id) ?? 0,
    }));
    return { runners, page };
  };
