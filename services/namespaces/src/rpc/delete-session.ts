import { lacking, readScope } from "@ci/access/scope";
import { userOf } from "@ci/kit/rpc/caller";
import { Fault, notFound } from "@ci/kit/rpc/fault";
import type { AccountHandlers, Context } from "../context.js";
import { sessionEnded } from "../domain/events.js";

export const deleteSession =
  (ctx: Context): AccountHandlers["deleteSession"] =>
  async ({ id }, { caller }) => {
    const userId = userOf(caller);
    const session = await ctx.sessions.ofUser(userId, id);
    if (!session) throw notFound();
    const token = await ctx.tokens.byId(session.tokenId);
    const [missing] = token ? lacking(readScope(token.scope).granted, caller.scope ?? "") : [];
    if (missing && session.tokenId !== caller.tokenId)
      throw new Fault("forbidden", `Token lacks permission ${missing}`);
    const at = ctx.now();
    await ctx.sessions.remove(id, at, sessionEnded({ at, actorId: userId }, session));
    return {};
  };
