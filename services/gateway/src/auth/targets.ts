import { notFound } from "@ci/kit/rpc/fault";
import type { BuildRef } from "@ci/proto/builds/v1/builds";
import type { AllowRequest_Action } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../context.js";
import type { Exchange } from "../http/exchange.js";
import type { Params } from "../http/match.js";

/** What a path and its sender say about a target. */
export interface Asked {
  readonly params: Params;
  readonly exchange: Exchange;
}

/** The namespace of a path, if the caller may see it. Fault `not_found`. */
export async function namespaceOf(
  { namespaces }: Pick<Context, "namespaces">,
  { params: { username, path } }: Pick<Asked, "params">,
): Promise<Namespace> {
  const { namespace } = await namespaces.getNamespace({ username, path, anonymous: false });
  return namespace!;
}

/** The build of a path, as other services are asked for it. Fault `not_found` if there is no such user. */
export const buildRefOf = async (
  { people }: Pick<Context, "people">,
  { params: { user, number } }: Pick<Asked, "params">,
): Promise<BuildRef> => ({ userId: await people.idOf(user), number });

/** Fault `not_found` unless the caller may do this in a namespace. */
export async function checkMay(
  { accounts }: Pick<Context, "accounts">,
  { caller }: Exchange,
  action: AllowRequest_Action,
  namespaceId: number,
): Promise<void> {
  const { namespaceIds } = await accounts.allow({ userId: caller.userId!, action, namespaceIds: [namespaceId] });
  if (!namespaceIds.includes(namespaceId)) throw notFound();
}

/** A target that is a namespace of the path, for what this action covers. */
export const namespaceFor =
  (action: AllowRequest_Action) =>
  async (ctx: Context, asked: Asked): Promise<void> =>
    checkMay(ctx, asked.exchange, action, (await namespaceOf(ctx, asked)).id);

/** Fault `not_found` unless the caller may change a record: what a namespace holds is its members' affair. */
export async function checkMayChange(
  ctx: Context,
  exchange: Exchange,
  record: { readonly userId: number; readonly namespaceId?: number },
): Promise<void> {
  if (record.namespaceId !== undefined) await checkMay(ctx, exchange, "write", record.namespaceId);
  else if (record.userId !== exchange.caller.userId) throw notFound();
}
