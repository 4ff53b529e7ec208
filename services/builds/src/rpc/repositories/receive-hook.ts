import { createHash, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { notFound } from "@ci/kit/rpc/fault";
import { decrypt } from "@ci/kit/security/secrets";
import { advance } from "../../actions/hooks/advance.js";
import type { Context, RepositoryHandlers } from "../../context.js";
import type { HookChange } from "../../domain/hooks/change.js";
import { payloadOf } from "../../domain/hooks/payload.js";
import { providers } from "../../domain/hooks/providers.js";
import { repositorySecret } from "../../store/encrypted-fields.js";
import type { HookDelivery } from "../../store/hook-deliveries.js";

const maxDeliveryIdLength = fixedLimit({
  max: 200,
  about: "characters of the id of a hook's delivery",
  effect: "the rest is cut",
});

function newDelivery(
  ctx: Context,
  received: { repositoryId: number; deliveryId: string; body: Uint8Array; change: HookChange },
): HookDelivery {
  const { repositoryId, deliveryId, body, change } = received;
  const _id = `${repositoryId}/${deliveryId.slice(0, maxDeliveryIdLength)}`;
  const bodyHash = createHash("sha256").update(body).digest("base64");
  return { _id, repositoryId, bodyHash, change, createdAt: ctx.now(), failures: 0 };
}

/** Waits for the work up to a limit. After that the work continues in the background. */
async function waitFor(work: Promise<void>, maxMs: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work, delay(maxMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
}

export const receiveHook =
  (ctx: Context): RepositoryHandlers["receiveHook"] =>
  async ({ provider, id, headers, body }) => {
    const repository = await ctx.repositories.byId(id);
    if (repository?.provider !== provider) throw notFound();
    const secret = decrypt(ctx.config.keyring, repository.sealedSecret, repositorySecret(id));
    const adapter = providers[repository.provider];
    if (!adapter.isSigned(headers, body, secret)) throw notFound();
    const change = adapter.read(headers, payloadOf(headers["content-type"] ?? "", body));
    if (!change) return { builds: [] };
    const deliveryId = adapter.deliveryId(headers) ?? randomUUID();
    const delivery = newDelivery(ctx, { repositoryId: id, deliveryId, body, change });
    // A crash after this write loses nothing: the loop continues once the lease has expired.
    const held = await ctx.hookDeliveries.insert(delivery, ctx.config.hookLeaseMs);
    if (!held) return { builds: [] };
    await waitFor(advance(ctx, held), ctx.config.hookAnswerMs);
    const builds = await ctx.builds.ofDelivery(delivery._id);
    return { builds: builds.map(({ userId, number }) => ({ userId, number })) };
  };
