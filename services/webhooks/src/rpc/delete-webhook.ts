import { setTimeout as pause } from "node:timers/promises";
import type { Context } from "../context.js";
import { trustMs } from "../domain/lane.js";
import { type Handlers, seeWebhook } from "./see.js";

export const deleteWebhook =
  (ctx: Context): Handlers["deleteWebhook"] =>
  async ({ namespaceId, id }, { caller }) => {
    await seeWebhook(ctx, caller, namespaceId, id);
    await ctx.webhooks.remove(id);
    await pause(trustMs);
    // An event being recorded right now may add one more: whoever finds it due finds no webhook and removes it.
    await ctx.deliveries.removeOf(id);
    return {};
  };
