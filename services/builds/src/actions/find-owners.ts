import { notFound, unauthorized } from "@ci/kit/rpc/fault";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../context.js";
import type { CronDoc } from "../domain/cron.js";

/** Finds the user and the namespace of a cron job or repository, which may be deleted. */
export async function findOwners(
  { accounts }: Pick<Context, "accounts">,
  { userId, namespaceId }: Pick<CronDoc, "userId" | "namespaceId">,
) {
  const namespaceIds = namespaceId === undefined ? [] : [namespaceId];
  const { users, namespaces } = await accounts.resolve({ userIds: [userId], namespaceIds });
  const user = users.find(({ id }) => id === userId);
  const namespace = namespaces.find(({ id }) => id === namespaceId);
  return {
    userGone: user === undefined || user.deletedAt !== undefined,
    namespaceGone: namespaceId !== undefined && namespace === undefined,
    namespace,
  };
}

/** Returns the namespace if a user who has waited may still submit to it. Otherwise throws what a new request would get. */
export async function requireSubmitter(
  ctx: Pick<Context, "accounts">,
  userId: number,
  namespaceId: number | undefined,
): Promise<Namespace | undefined> {
  const namespaceIds = namespaceId === undefined ? [] : [namespaceId];
  const allowed = await ctx.accounts.allow({ userId, action: "write", namespaceIds });
  const { userGone, namespaceGone, namespace } = await findOwners(ctx, { userId, namespaceId });
  if (userGone) throw unauthorized();
  if (namespaceGone || allowed.namespaceIds.length < namespaceIds.length) throw notFound();
  return namespace;
}
