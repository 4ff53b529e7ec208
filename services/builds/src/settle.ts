import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "./context.js";
import type { BuildDoc } from "./domain/build.js";
import { kill } from "./domain/moves.js";

/** A build of a namespace that is gone belongs to its submitter alone; a running one goes on. */
export const releaseBuild = (ctx: Pick<Context, "builds">, id: number) =>
  ctx.builds.change(id, (doc) => ({ set: { namespaceId: undefined, rootId: undefined, ownerId: doc.userId } }));

/** A build of a user who is gone ends. */
export async function endBuild(ctx: Pick<Context, "builds" | "bus" | "news" | "now">, id: number): Promise<void> {
  const doc = await ctx.builds.change(id, (build) => kill(build, ctx.now()));
  if (doc.killRequestedAt) ctx.bus.nudge(`kill.${id}`);
  ctx.news.tell(id);
}

/** What has become of the user and the namespace of a record. */
export async function whereabouts(
  { accounts }: Pick<Context, "accounts">,
  { userId, namespaceId }: { userId: number; namespaceId?: number },
): Promise<{ userGone: boolean; namespaceGone: boolean; namespace?: Namespace }> {
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

/**
 * A second look at a build that nobody waited for: its user or namespace may have gone, and all that entails may have
 * been done, just before it was stored. What goes from now on finds it. Harmless when done again.
 */
export async function settle(
  ctx: Pick<Context, "accounts" | "builds" | "bus" | "news" | "now">,
  { _id, userId, namespaceId }: Pick<BuildDoc, "_id" | "userId" | "namespaceId">,
): Promise<void> {
  const { userGone, namespaceGone } = await whereabouts(ctx, { userId, namespaceId });
  if (namespaceGone) await releaseBuild(ctx, _id);
  if (userGone) await endBuild(ctx, _id);
  await ctx.builds.change(_id, () => ({ set: { unsettled: undefined } }));
}
