import { userOf } from "@ci/kit/rpc/caller";
import { invalid, notFound } from "@ci/kit/rpc/fault";
import { clearUser } from "../actions/clear.js";
import type { AccountHandlers, Context } from "../context.js";
import { userChanged } from "../domain/events.js";
import { toUser } from "../domain/user.js";

export const deleteUser =
  (ctx: Context): AccountHandlers["deleteUser"] =>
  async ({ username }, { caller }) => {
    const user = await ctx.users.byUsername(username);
    if (!user || user.endedAt) throw notFound();
    if (user._id === userOf(caller)) throw invalid({ username: ["Username cannot delete yourself"] });
    const act = { at: ctx.now(), actorId: caller.userId };
    const event = userChanged(act, "deleted", { ...toUser(user), deletedAt: act.at });
    const ended = await ctx.users.end(user._id, act.at, event);
    if (!ended) throw notFound();
    await clearUser(ctx, ended._id);
    return {};
  };
