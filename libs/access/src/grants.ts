import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "@ci/kit/bus/bus";
import { ttlCache } from "@ci/kit/bus/ttl-cache";

/** How long a service may rely on having been told that somebody may do something. */
const trustMs = 250;
const topic = "grants";

interface Ask {
  readonly userId?: number | undefined;
  readonly action?: string | undefined;
  readonly namespaceIds?: readonly number[] | undefined;
}

interface Asked {
  allow(ask: Ask, options?: object): Promise<{ readonly namespaceIds: readonly number[] }>;
}

/**
 * The same client, which asks about the same user, action and namespace once in 250 ms. Only what is allowed is
 * remembered, so that a new right holds at once.
 */
export function cachingGrants<C>(client: C & Asked, bus: Pick<Bus, "connected" | "onNudge">): C {
  const grants = ttlCache<string, true>(bus, trustMs);
  bus.onNudge(topic, () => grants.forget());
  const allow: Asked["allow"] = async ({ userId, action, namespaceIds = [] }, options) => {
    const keyOf = (id: number) => `${userId}/${action}/${id}`;
    const open = namespaceIds.filter((id) => !grants.get(keyOf(id)));
    if (open.length === 0) return { namespaceIds };
    const keep = grants.asking();
    const answer = await client.allow({ userId, action, namespaceIds: open }, options);
    for (const id of answer.namespaceIds) keep(keyOf(id), true);
    const granted = new Set(answer.namespaceIds);
    return { namespaceIds: namespaceIds.filter((id) => granted.has(id) || !open.includes(id)) };
  };
  return { ...client, allow };
}

/**
 * To be awaited between taking a right away and saying that it is gone. Whoever remembers it hears of that, and even
 * with the news lost nobody relies on it any more when this resolves.
 */
export async function expireGrants(bus: Pick<Bus, "nudge">): Promise<void> {
  bus.nudge(topic);
  await delay(trustMs);
}
