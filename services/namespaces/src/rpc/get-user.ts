import { notFound } from "@ci/kit/rpc/fault";
import type { AccountHandlers, Context } from "../context.js";
import { toUser, type UserDoc } from "../domain/user.js";

type Ask = Parameters<AccountHandlers["getUser"]>[0];

async function find(ctx: Context, { by }: Ask): Promise<UserDoc | null | undefined> {
  if (by?.$case === "id") return (await ctx.users.byIds([by.value]))[0];
  return by ? ctx.users.byUsername(by.value) : undefined;
}

/** Deleted users are answered too, with deleted_at set: their records stay where they were. */
export const getUser =
  (ctx: Context): AccountHandlers["getUser"] =>
  async (ask) => {
    const user = await find(ctx, ask);
    if (!user) throw notFound();
    return { user: toUser(user) };
  };
