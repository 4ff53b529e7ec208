import { targetCheck } from "@ci/kit/net/guarded-agent";
import { refuse } from "@ci/kit/rpc/refuse";
import type { Context } from "../context.js";
import { unknownEvents } from "../domain/identifiers.js";
import { type Target, targetComplaints, targetKey } from "../domain/target.js";

/** What a webhook is about to become. */
export interface Wish {
  readonly namespaceId: number;
  /** Absent: it stays as it is. */
  readonly target?: Target;
  readonly secret: string;
  readonly events: readonly string[];
  /** The webhook that is changed. */
  readonly id?: number;
}

const longestSecret = 255;

async function aboutTarget({ config, webhooks }: Context, { namespaceId, target, id }: Wish): Promise<string[]> {
  if (!target) return [];
  const found = targetComplaints(target, await targetCheck(target.payloadUrl, config));
  const well = found.length === 0;
  return well && (await webhooks.takenBy(namespaceId, targetKey(target.payloadUrl), id))
    ? ["Payload URL already exists"]
    : found;
}

/** Throws Fault `invalid` with everything that is wrong. */
export async function check(ctx: Context, wish: Wish): Promise<void> {
  const tooLong = [...wish.secret].length > longestSecret;
  refuse({
    payload_url: await aboutTarget(ctx, wish),
    secret: tooLong ? [`Secret cannot be longer than ${longestSecret} characters in length`] : [],
    events: unknownEvents(wish.events),
  });
}
