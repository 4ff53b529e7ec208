import { seeCron } from "../actions/see.js";
import type { Context, CronHandlers } from "../context.js";
import { toCron } from "../domain/cron.js";

export const getCron =
  (ctx: Context): CronHandlers["getCron"] =>
  async ({ id }, { caller }) => ({ cron: toCron(await seeCron(ctx, caller, id)) });
