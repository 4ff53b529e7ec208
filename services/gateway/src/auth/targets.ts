import { notFound } from "@ci/kit/rpc/fault";
import type { Build, BuildRef } from "@ci/proto/builds/v1/builds";
import type { AllowRequest_Action } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../context.js";
import type { Exchange } from "../http/exchange.js";
import type { Address } from "../http/row.js";

/** Returns the namespace of a path. Throws `not_found` if the caller may not see it. */
export async function namespaceOf(
  { namespaces }: Pick<Context, "namespaces">,
  { params: { username, path } }: Pick<Address, "params">,
): Promise<Namespace> {
  const { namespace } = await namespaces.getNamespace({ username, path, anonymous: false });
  return namespace!;
}

/** Returns the reference of a path's build for other services. Throws `not_found` if there is no such user. */
export const buildRefOf = async (
  { users }: Pick<Context, "users">,
  { params: { user, number } }: Pick<Address, "params">,
): Promise<BuildRef> => ({ userId: await users.idOf(user), number });

/** Returns the build of a path, without its output. Throws `not_found` if the caller may not see it. */
export async function visibleBuild(
  ctx: Pick<Context, "builds" | "users">,
  address: Pick<Address, "params">,
): Promise<Build> {
  const { build } = await ctx.builds.getBuild({ ref: await buildRefOf(ctx, address), brief: true });
  return build!;
}

/** Throws `not_found` unless the caller may do this in a namespace. */
async function checkMay(
  { accounts }: Pick<Context, "accounts">,
  { caller }: Exchange,
  action: AllowRequest_Action,
  namespaceId: number,
): Promise<void> {
  const { namespaceIds } = await accounts.allow({ userId: caller.userId!, action, namespaceIds: [namespaceId] });
  if (!namespaceIds.includes(namespaceId)) throw notFound();
}

/** Returns a check that the caller may do this in the namespace of the path. */
export const namespaceFor =
  (action: AllowRequest_Action) =>
  async (ctx: Context, address: Address): Promise<void> =>
    checkMay(ctx, address.exchange, action, (await namespaceOf(ctx, address)).id);

/** Throws `not_found` unless the caller is a member of a record's namespace or, without one, its user. */
export async function checkMayChange(
  ctx: Context,
  exchange: Exchange,
  record: { readonly userId: number; readonly namespaceId?: number },
): Promise<void> {
  if (record.namespaceId !== undefined) await checkMay(ctx, exchange, "write", record.namespaceId);
  else if (record.userId !== exchange.caller.userId) throw notFound();
}
