import { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Context, OperatorHandlers } from "../../context.js";

export const getQueue =
  (ctx: Context): OperatorHandlers["getQueue"] =>
  async ({ hours }) => {
    // Always sixty periods: few enough for a chart.
    const periodMinutes = hours;
    const ofDriver = async (driver: Driver_Type) => {
      const [queued, running, runners, since] = await Promise.all([
        ctx.queue.count("queued", driver),
        ctx.queue.count("running", driver),
        ctx.runners.count(driver, 2 * ctx.config.leaseMs),
        ctx.queue.oldestSince(driver),
      ]);
      return { driver, queued, running, runners, since };
    };
    const [drivers, history] = await Promise.all([
      Promise.all(Object.values(Driver_Type).map(ofDriver)),
      ctx.queueMinutes.history(hours, periodMinutes),
    ]);
    const times = drivers.flatMap(({ since }) => since?.getTime() ?? []);
    const oldestSince = times.length > 0 ? new Date(Math.min(...times)) : undefined;
    return { drivers, oldestSince, history, periodMinutes };
  };
