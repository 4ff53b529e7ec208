import { lacking, readScope } from "@ci/access/scope";
import { Fault, notFound } from "@ci/kit/rpc/fault";
import type { AccountHandlers, Context } from "../context.js";
import { tokenChanged } from "../events.js";
import { userOf } from "./see.js";

export const deleteToken =
  (ctx: Context): AccountHandlers["deleteToken"] =>
  async ({ id }, { caller }) => {
    const userId = userOf(caller);
    const held = caller.scope ?? "";
    const token = await ctx.tokens.byId(id);
    // Only an admin's token holds this permission.
    const anyones = lacking(["user:delete"], held).length === 0;
    if (!token || (token.userId !== userId && !anyones)) throw notFound();
    const [missing] = lacking(readScope(token.scope).granted, held);
    if (missing && id !== caller.tokenId && !anyones) throw new Fault("forbidden", `Token lacks permission ${missing}`);
    const at = ctx.now();
    await ctx.tokens.remove(id, at, tokenChanged({ at, actorId: userId }, "deleted", { id, userId: token.userId }));
    return {};
  };
