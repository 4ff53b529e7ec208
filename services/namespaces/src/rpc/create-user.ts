import { nextId } from "@ci/kit/mongo/ids";
import { duplicateKey } from "@ci/kit/mongo/mongo";
import { refuse } from "@ci/kit/rpc/refuse";
import type { AccountHandlers, Context } from "../context.js";
import { emailComplaints, newUser, toUser, usernameComplaints } from "../domain/user.js";
import { userChanged } from "../events.js";

type Ask = Parameters<AccountHandlers["createUser"]>[0];

async function check(ctx: Context, { username, email }: Ask): Promise<void> {
  const taken = await ctx.users.takenNames(username, email);
  refuse({
    username: [...usernameComplaints(username), ...(taken.username ? ["Username already exists"] : [])],
    email: [...emailComplaints(email), ...(taken.email ? ["Email already exists"] : [])],
  });
}

export const createUser =
  (ctx: Context): AccountHandlers["createUser"] =>
  async (ask, { caller }) => {
    await check(ctx, ask);
    const act = { at: ctx.now(), actorId: caller.userId };
    const user = newUser({ ...ask, id: await nextId(ctx.db, "users"), at: act.at });
    await ctx.users.insert({ ...user, outbox: [userChanged(act, "created", toUser(user))] }).catch(async (error) => {
      // Somebody was quicker: now the check sees whose name it was.
      if (duplicateKey(error)) await check(ctx, ask);
      throw error;
    });
    return { user: toUser(user) };
  };
