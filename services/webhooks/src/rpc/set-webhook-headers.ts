import { fullPause } from "@ci/kit/bus/full-pause";
import type { Caller } from "@ci/kit/rpc/caller";
import type { Fields } from "@ci/kit/rpc/fault";
import { complain, validated } from "@ci/kit/rpc/validated";
import type { SetWebhookHeadersRequest } from "@ci/proto/webhooks/v1/webhooks";
import { findWebhook } from "../actions/find-webhook.js";
import { waitForFirstAttempts } from "../actions/wait-for-first-attempts.js";
import type { Context, Handlers } from "../context.js";
import { ownHeaderErrors } from "../domain/own-headers.js";
import { settingsCacheMs } from "../domain/settings-cache.js";
import { originOf } from "../domain/target.js";
import { encryptHeaders, type OwnHeaders } from "../store/encrypted-secrets.js";
import { ownHeadersOf, type WebhookDoc } from "../store/webhook-doc.js";

const movedError = "Headers cannot be stored, because the address of the webhook has just changed";

function complaintsAbout({ config }: Context, webhook: WebhookDoc, { headers }: SetWebhookHeadersRequest): Fields {
  if (!headers) return { headers: ["Headers field required"] };
  return { headers: ownHeaderErrors(headers.headers, config.headerPrefix, ownHeadersOf(webhook)) };
}

function encrypted({ config }: Context, webhook: WebhookDoc, headers: OwnHeaders["list"]): OwnHeaders | undefined {
  if (headers.length === 0) return undefined;
  const list = encryptHeaders(config.keyring, webhook._id, headers, ownHeadersOf(webhook));
  return { origin: originOf(webhook.payloadUrl), list };
}

/** Stores the headers unless the webhook has meanwhile got another address, whose receiver must not see them. */
async function replace(ctx: Context, request: SetWebhookHeadersRequest, checked: WebhookDoc, caller: Caller) {
  for (;;) {
    const webhook = await findWebhook(ctx, caller, request.namespaceId, request.id);
    if (originOf(webhook.payloadUrl) !== originOf(checked.payloadUrl)) complain({ headers: [movedError] });
    complain(complaintsAbout(ctx, webhook, request));
    const changed = await ctx.webhooks.setHeaders(webhook, encrypted(ctx, webhook, request.headers!.headers));
    if (changed) return changed;
  }
}

export const setWebhookHeaders = (ctx: Context): Handlers["setWebhookHeaders"] =>
  validated(async (request, { caller }) => {
    const { namespaceId, id } = request;
    const webhook = await findWebhook(ctx, caller, namespaceId, id);
    return {
      complaints: complaintsAbout(ctx, webhook, request),
      async change() {
        await waitForFirstAttempts(ctx, id);
        const changed = await replace(ctx, request, webhook, caller);
        await fullPause(settingsCacheMs);
        return { names: ownHeadersOf(changed).map(({ name }) => name) };
      },
    };
  });
