import { nextId } from "@ci/kit/mongo/ids";
import { duplicateKey } from "@ci/kit/mongo/mongo";
import { refuse } from "@ci/kit/rpc/refuse";
import type { AccountHandlers, Context } from "../context.js";
import { userChanged } from "../domain/events.js";
import { emailComplaints, newUser, toUser, usernameComplaints } from "../domain/user.js";

type Request = Parameters<AccountHandlers["createUser"]>[0];

async function check(ctx: Context, { username, email }: Request): Promise<void> {
  const taken = await ctx.users.takenNames(username, email);
  refuse({
    username: [...usernameComplaints(username), ...(taken.username ? ["Username already exists"] : [])],
    email: [...emailComplaints(email), ...(taken.email ? ["Email already exists"] : [])],
  });
}

export const createUser =
  (ctx: Context): AccountHandlers["createUser"] =>
  async (request, { caller }) => {
    await check(ctx, request);
    const act = { at: ctx.now(), actorId: caller.userId };
    const user = newUser({ ...request, id: await nextId(ctx.db, "users"), at: act.at });
    await ctx.users.insert({ ...user, outbox: [userChanged(act, "created", toUser(user))] }).catch(async (error) => {
      // A concurrent request took a name: checking again tells which.
      if (duplicateKey(error)) await check(ctx, request);
      throw error;
    });
    return { user: toUser(user) };
  };
