import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { notFound } from "@ci/kit/rpc/fault";
import { decrypt } from "@ci/kit/security/secrets";
import type { Context, RepositoryHandlers } from "../../context.js";
import type { HookChange } from "../../domain/hooks/change.js";
import { payloadOf } from "../../domain/hooks/payload.js";
import { providers } from "../../domain/hooks/providers.js";
import { advance } from "../../hooks/advance.js";
import type { HookDelivery } from "../../store/hook-deliveries.js";
import { repositorySecret } from "../../store/sealed.js";

const longestDeliveryId = 200;

function newDelivery(ctx: Context, repositoryId: number, deliveryId: string, change: HookChange): HookDelivery {
  const _id = `${repositoryId}/${deliveryId.slice(0, longestDeliveryId)}`;
  return { _id, repositoryId, change, createdAt: ctx.now(), failures: 0 };
}

/** Waits for work that goes on by itself when it takes too long. */
async function waitFor(work: Promise<void>, mostMs: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work, delay(mostMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}

export const receiveHook =
  (ctx: Context): RepositoryHandlers["receiveHook"] =>
  async ({ provider, id, headers, body }) => {
    const repository = await ctx.repositories.byId(id);
    if (repository?.provider !== provider) throw notFound();
    const secret = decrypt(ctx.config.keyring, repository.sealedSecret, repositorySecret(id));
    const speaks = providers[repository.provider];
    if (!speaks.signed(headers, body, secret)) throw notFound();
    const change = speaks.read(headers, payloadOf(headers["content-type"] ?? "", body));
    if (!change) return { builds: [] };
    const delivery = newDelivery(ctx, id, speaks.deliveryId(headers) ?? randomUUID(), change);
    // From here on a crash loses nothing: the loop finds it when nobody holds it any more.
    const held = await ctx.hookDeliveries.insert(delivery, ctx.config.hookLeaseMs);
    if (!held) return { builds: [] };
    await waitFor(advance(ctx, held), ctx.config.hookAnswerMs);
    const builds = await ctx.builds.ofDelivery(delivery._id);
    return { builds: builds.map(({ userId, number }) => ({ userId, number })) };
  };
