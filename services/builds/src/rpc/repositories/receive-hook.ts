import { createHash, createHmac, randomUUID } from "node:crypto";
import { hashed } from "@ci/kit/bytes/hashed";
import { nextId } from "@ci/kit/mongo/ids";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { notFound } from "@ci/kit/rpc/fault";
import { decrypt } from "@ci/kit/security/secrets";
import type { ReceiveHookRequest } from "@ci/proto/builds/v1/repositories";
import { advanceFirst } from "../../actions/hooks/advance.js";
import { readInTurn } from "../../actions/hooks/payload-turns.js";
import { waitFor } from "../../actions/wait-for.js";
import type { Context, RepositoryHandlers } from "../../context.js";
import { providers } from "../../domain/hooks/providers.js";
import { repositorySecret } from "../../store/encrypted-fields.js";
import type { HookDelivery } from "../../store/hooks/hook-deliveries.js";
import type { RepositoryDoc } from "../../store/repositories.js";

const maxDeliveryIdLength = fixedLimit({
  max: 200,
  about: "characters of the id of a hook's delivery",
  effect: "the rest is cut",
});

async function newDelivery(
  ctx: Context,
  { _id, provider, userId }: RepositoryDoc,
  { headers, body }: Pick<ReceiveHookRequest, "headers" | "body">,
): Promise<HookDelivery> {
  const deliveryId = providers[provider].deliveryId(headers) ?? randomUUID();
  const read = await readInTurn(userId, { provider, headers, body });
  return {
    _id: `${_id}/${deliveryId.slice(0, maxDeliveryIdLength)}`,
    repositoryId: _id,
    userId,
    number: await nextId(ctx.db, "hookDeliveries"),
    bodyHash: (await hashed(createHash("sha256"), body)).digest("base64"),
    createdAt: ctx.now(),
    failures: 0,
    ...read,
  };
}

async function deliveryOf(ctx: Context, request: ReceiveHookRequest): Promise<HookDelivery> {
  const { provider, id, headers, body } = request;
  const repository = await ctx.repositories.byId(id);
  if (repository?.provider !== provider) throw notFound();
  const secret = decrypt(ctx.config.keyring, repository.sealedSecret, repositorySecret(id));
  const hmac = (await hashed(createHmac("sha256", secret), body)).digest("hex");
  if (!providers[repository.provider].isSigned(headers, hmac, secret)) throw notFound();
  return newDelivery(ctx, repository, { headers, body });
}

/** The caller keeps a request until it is answered. */
const dropBody = (request: { body: Uint8Array }): void => {
  request.body = new Uint8Array();
};

export const receiveHook =
  (ctx: Context): RepositoryHandlers["receiveHook"] =>
  async (request) => {
    const delivery = await deliveryOf(ctx, request);
    dropBody(request);
    // A crash after this write loses nothing: the loop continues once the lease has expired.
    const held = await ctx.hookDeliveries.insert(delivery, ctx.config.hookLeaseMs);
    if (!held?.change) return { builds: [] };
    await waitFor(advanceFirst(ctx, held), ctx.config.hookAnswerMs);
    const builds = await ctx.builds.ofDelivery(delivery._id);
    return { builds: builds.map(({ userId, number }) => ({ userId, number })) };
  };
