import { lacking } from "@ci/access/scope";
import { userOf } from "@ci/kit/rpc/caller";
import { Fault, notFound } from "@ci/kit/rpc/fault";
import { endUseOf } from "../actions/end-identity.js";
import type { AccountHandlers, Context } from "../context.js";
import { permissionsOf } from "../domain/token.js";

export const deleteIdentity =
  (ctx: Context): AccountHandlers["deleteIdentity"] =>
  async ({ id }, { caller }) => {
    const userId = userOf(caller);
    const identity = await ctx.identities.ofUser(userId, id);
    const [user] = await ctx.users.byIds([userId]);
    if (!identity || !user) throw notFound();
    const token = await ctx.tokens.ofIdentity(id);
    const [missing] = lacking(permissionsOf(user.admin), caller.scope ?? "");
    if (missing && token?._id !== caller.tokenId) throw new Fault("forbidden", `Token lacks permission ${missing}`);
    const act = { at: ctx.now(), actorId: userId };
    await endUseOf(ctx, id, act);
    await ctx.identities.remove(id);
    // A concurrent sign-in may have created a session since.
    await endUseOf(ctx, id, act);
    return {};
  };
