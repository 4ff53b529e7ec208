import { fullPause } from "@ci/kit/bus/full-pause";
import { notFound } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import { findWebhook } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";
import { maxPerSecond } from "../domain/pace.js";
import { settingsCacheMs } from "../domain/settings-cache.js";

function errorsOf(perSecond: number | undefined): string[] {
  if (perSecond === undefined) return ["Per_second field required"];
  if (Number.isInteger(perSecond) && perSecond >= 0 && perSecond <= maxPerSecond) return [];
  return [`Per_second must be a whole number from 0 to ${maxPerSecond}`];
}

export const setRateLimit = (ctx: Context): Handlers["setRateLimit"] =>
  validated(async ({ namespaceId, id, perSecond }, { caller }) => {
    await findWebhook(ctx, caller, namespaceId, id);
    return {
      complaints: { per_second: errorsOf(perSecond) },
      async change() {
        if (!(await ctx.webhooks.setRateLimit(id, perSecond || undefined))) throw notFound();
        await fullPause(settingsCacheMs);
        return { perSecond: perSecond! };
      },
    };
  });
