import { fullPause } from "@ci/kit/bus/full-pause";
import { findWebhook } from "../actions/find-webhook.js";
import { removeDeliveriesOf } from "../actions/remove-webhooks.js";
import type { Context, Handlers } from "../context.js";
import { settingsCacheMs } from "../domain/settings-cache.js";

export const deleteWebhook =
  (ctx: Context): Handlers["deleteWebhook"] =>
  async ({ namespaceId, id }, { caller }) => {
    await findWebhook(ctx, caller, namespaceId, id);
    await ctx.removedWebhooks.add([id]);
    await ctx.webhooks.remove([id]);
    // Other replicas may use cached settings of the webhook for this long.
    await fullPause(settingsCacheMs);
    // An event that is being recorded may still add a delivery. The lane that finds it due has it removed.
    await removeDeliveriesOf(ctx, [id]);
    return {};
  };
