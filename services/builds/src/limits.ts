import type { Context } from "./context.js";
import type { BuildDoc } from "./domain/build.js";
import type { Reason } from "./domain/line.js";
import type { Slot } from "./store/slots.js";

type Needs = Pick<Context, "config" | "queue" | "slots">;
type Limit = Extract<Reason, `limit of ${string}`>;

/** A slot under one limit; undefined when there is none. A limit of 0 needs no slot. */
async function takeOne(
  ctx: Needs,
  key: string,
  limit: number,
  running: () => Promise<number>,
  buildId: number,
): Promise<readonly Slot[] | undefined> {
  if (limit === 0) return [];
  if ((await running()) >= limit) return undefined;
  const slot = await ctx.slots.take(key, limit, buildId);
  return slot && [slot];
}

/**
 * The right to run this build under the limits of its user and of its tree, or the limit that is in the way. What runs
 * is counted; the slots keep claims that count at the same time from going beyond a limit together.
 */
export async function takeSlots(ctx: Needs, { _id, userId, rootId }: BuildDoc): Promise<readonly Slot[] | Limit> {
  const { runningPerUser, runningPerNamespace } = ctx.config;
  const ofUser = async () => (await ctx.queue.runningOfUsers([userId])).get(userId) ?? 0;
  const user = await takeOne(ctx, `user/${userId}`, runningPerUser, ofUser, _id);
  if (!user) return "limit of user";
  if (rootId === undefined) return user;
  const inRoot = async () => (await ctx.queue.runningInRoots([rootId])).get(rootId) ?? 0;
  const root = await takeOne(ctx, `root/${rootId}`, runningPerNamespace, inRoot, _id);
  if (root) return [...user, ...root];
  for (const slot of user) await ctx.slots.give(slot);
  return "limit of namespace";
}
