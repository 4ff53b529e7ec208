import type { Context, OperatorHandlers } from "../../context.js";
import { getQueue } from "./get-queue.js";
import { listRunners } from "./list-runners.js";

export const operatorHandlers = (ctx: Context): OperatorHandlers => ({
  listRunners: listRunners(ctx),
  getQueue: getQueue(ctx),
});
