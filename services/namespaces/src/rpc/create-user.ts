import { duplicateKey } from "@ci/kit/mongo/duplicates";
import { nextId } from "@ci/kit/mongo/ids";
import type { Fields } from "@ci/kit/rpc/fault";
import { complain, validated } from "@ci/kit/rpc/validated";
import type { AccountHandlers, Context } from "../context.js";
import { userChanged } from "../domain/events.js";
import { emailComplaints, newUser, toUser, usernameComplaints } from "../domain/user.js";

type Request = Parameters<AccountHandlers["createUser"]>[0];

async function complaintsAbout(ctx: Context, { username, email }: Request): Promise<Fields> {
  const taken = await ctx.users.takenNames(username, email);
  return {
    username: [...usernameComplaints(username), ...(taken.username ? ["Username already exists"] : [])],
    email: [...emailComplaints(email), ...(taken.email ? ["Email already exists"] : [])],
  };
}

export const createUser = (ctx: Context): AccountHandlers["createUser"] =>
  validated(async (request, { caller }) => ({
    complaints: await complaintsAbout(ctx, request),
    async change() {
      const act = { at: ctx.now(), actorId: caller.userId };
      const user = newUser({ ...request, id: await nextId(ctx.db, "users"), at: act.at });
      await ctx.users.insert({ ...user, outbox: [userChanged(act, "created", toUser(user))] }).catch(async (error) => {
        // A concurrent request has taken a name. The next check reports which.
        if (duplicateKey(error)) complain(await complaintsAbout(ctx, request));
        throw error;
      });
      return { user: toUser(user) };
    },
  }));
