import { lacking, readScope } from "@ci/access/scope";
import { userOf } from "@ci/kit/rpc/caller";
import { Fault, notFound } from "@ci/kit/rpc/fault";
import { endToken } from "../actions/end-token.js";
import type { AccountHandlers, Context } from "../context.js";

export const deleteToken =
  (ctx: Context): AccountHandlers["deleteToken"] =>
  async ({ id }, { caller }) => {
    const userId = userOf(caller);
    const callerScope = caller.scope ?? "";
    const token = await ctx.tokens.byId(id);
    // Only tokens of admins hold this permission.
    const mayDeleteAny = lacking(["user:delete"], callerScope).length === 0;
    if (!token || (token.userId !== userId && !mayDeleteAny)) throw notFound();
    const [missing] = lacking(readScope(token.scope).granted, callerScope);
    if (missing && id !== caller.tokenId && !mayDeleteAny)
      throw new Fault("forbidden", `Token lacks permission ${missing}`);
    await endToken(ctx, token, { at: ctx.now(), actorId: userId });
    return {};
  };
