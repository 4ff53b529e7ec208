import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { settingsCacheMs } from "../domain/settings-cache.js";
import type { ShortWebhook, WebhookDoc } from "../store/webhook-doc.js";

/** A webhook with the time when its query began, by `performance.now()`. */
export interface Seen {
  readonly webhook: WebhookDoc;
  readonly readAtMs: number;
}

const isWhole = (webhook: ShortWebhook): webhook is WebhookDoc => webhook.headers === undefined;

const maxSeen = fixedLimit({
  max: 1_000,
  about: "webhooks that a process remembers from its last look for new events",
  effect: "others are read again before their next delivery",
});

/** The webhooks that were read for new events, so that their lanes need not read them again at once. */
export function seenWebhooks(now = () => performance.now()) {
  const seen = new Map<number, Seen>();
  return {
    add(webhooks: readonly ShortWebhook[], readAtMs: number): void {
      for (const webhook of webhooks) {
        seen.delete(webhook._id);
        if (!isWhole(webhook)) continue;
        if (seen.size >= maxSeen) seen.delete(seen.keys().next().value!);
        seen.set(webhook._id, { webhook, readAtMs });
      }
    },
    /** Returns and forgets a webhook. Returns undefined if it was read too long ago. */
    take(id: number): Seen | undefined {
      const one = seen.get(id);
      seen.delete(id);
      return one && now() - one.readAtMs < settingsCacheMs ? one : undefined;
    },
  };
}

export type SeenWebhooks = ReturnType<typeof seenWebhooks>;
