import { targetCheck } from "@ci/kit/net/guarded-agent";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Fields } from "@ci/kit/rpc/fault";
import type { Filter } from "@ci/proto/webhooks/v1/webhooks";
import type { Context } from "../context.js";
import { unknownKindErrors } from "../domain/event-kinds.js";
import { filterErrors } from "../domain/filter.js";
import { type Target, targetErrors, targetKey } from "../domain/target.js";

export interface ProposedWebhook {
  readonly namespaceId: number;
  readonly target?: Target;
  readonly secret: string;
  /** Names of events that the request gives. */
  readonly events: readonly string[];
  /** The kinds that the webhook then has. */
  readonly kinds: readonly string[];
  readonly filter?: Filter | undefined;
  readonly id?: number;
}

const maxSecretLength = fixedLimit({
  max: 255,
  about: "characters of the secret of a webhook",
  refusal: "Secret cannot be longer than N characters in length",
});

type Parts = Pick<Context, "config" | "webhooks">;

async function payloadUrlErrors({ config, webhooks }: Parts, proposed: ProposedWebhook): Promise<string[]> {
  const { namespaceId, target, id } = proposed;
  if (!target) return [];
  const errors = targetErrors(target, await targetCheck(target.payloadUrl, config));
  if (errors.length > 0) return errors;
  const taken = await webhooks.isTargetTaken(namespaceId, targetKey(target.payloadUrl), id);
  return taken ? ["Payload URL already exists"] : [];
}

/** Returns what is wrong with a new or changed webhook, by field. */
export async function validateWebhook(ctx: Parts, proposed: ProposedWebhook): Promise<Fields> {
  const { kinds, filter } = proposed;
  const unknown = unknownKindErrors(proposed.events);
  const tooLong = [...proposed.secret].length > maxSecretLength;
  return {
    payload_url: await payloadUrlErrors(ctx, proposed),
    secret: tooLong ? [`Secret cannot be longer than ${maxSecretLength} characters in length`] : [],
    events: unknown,
    filter: filter && unknown.length === 0 ? filterErrors(filter, kinds) : [],
  };
}
