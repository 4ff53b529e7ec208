import { userOf } from "@ci/kit/rpc/caller";
import type { AccountHandlers, Context } from "../context.js";
import { toSession } from "../domain/session.js";

export const listSessions =
  (ctx: Context): AccountHandlers["listSessions"] =>
  async (request, { caller }) => {
    const { items, page } = await ctx.sessions.list(userOf(caller), ctx.now(), request.page?.number);
    return { sessions: items.map(toSession), page };
  };
