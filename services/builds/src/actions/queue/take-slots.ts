import type { QueueReason } from "@ci/rest/queue-reasons";
import type { Context } from "../../context.js";
import type { BuildDoc } from "../../domain/build.js";
import type { Slot } from "../../store/queue/slots.js";

type Needs = Pick<Context, "config" | "queue" | "slots">;
type Limit = Extract<QueueReason, "limit of user" | "limit of namespace">;

/** Takes a slot under one limit; undefined if none is free. A limit of 0 needs no slot. */
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

// Slots keep concurrent claims from exceeding a limit together, which counting running builds cannot prevent.
/** Takes the slots that a build needs, or returns the limit that is reached. */
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
