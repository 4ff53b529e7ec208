import { notFound } from "@ci/kit/rpc/fault";
import type { AccountHandlers, Context } from "../context.js";
import { toUser, type UserDoc } from "../domain/user.js";

type Request = Parameters<AccountHandlers["getUser"]>[0];

async function find(ctx: Context, { by }: Request): Promise<UserDoc | null | undefined> {
  if (by?.$case === "id") return (await ctx.users.byIds([by.value]))[0];
  return by ? ctx.users.byUsername(by.value) : undefined;
}

/** Returns a user, or a deleted one with deleted_at set, because the records of deleted users remain. */
export const getUser =
  (ctx: Context): AccountHandlers["getUser"] =>
  async (request) => {
    const user = await find(ctx, request);
    if (!user) throw notFound();
    return { user: toUser(user) };
  };
