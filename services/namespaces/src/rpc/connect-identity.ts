import { lacking } from "@ci/access/scope";
import { nextId } from "@ci/kit/mongo/ids";
import { Fault, invalid } from "@ci/kit/rpc/fault";
import { tokenWithUser } from "../actions/token-with-user.js";
import type { AccountHandlers, Context } from "../context.js";
import { maxIdentities, newIdentity, toIdentity } from "../domain/identity.js";
import { permissionsOf, type TokenDoc, toToken } from "../domain/token.js";
import { toUser, type UserDoc } from "../domain/user.js";

async function holderOf(ctx: Context, sessionId: number, now: Date): Promise<{ user: UserDoc; token: TokenDoc }> {
  const session = await ctx.sessions.byId(sessionId);
  return tokenWithUser(ctx, session && session.expiresAt! > now ? await ctx.tokens.byId(session.tokenId) : null, now);
}

/** An identity gives full access without expiry, so the connecting token must have full access without expiry. */
function checkMayConnect({ admin }: UserDoc, { scope, expiresAt }: TokenDoc): void {
  const [missing] = lacking(permissionsOf(admin), scope);
  if (missing) throw new Fault("forbidden", `Token lacks permission ${missing}`);
  if (expiresAt) throw new Fault("forbidden", "A token that expires cannot connect an identity");
}

async function checkAgain(ctx: Context, id: number, sessionId: number): Promise<void> {
  try {
    await holderOf(ctx, sessionId, ctx.now());
  } catch (error) {
    await ctx.identities.remove(id);
    throw error;
  }
}

export const connectIdentity =
  (ctx: Context): AccountHandlers["connectIdentity"] =>
  async ({ claims, sessionId }) => {
    const at = ctx.now();
    const { user, token } = await holderOf(ctx, sessionId, at);
    checkMayConnect(user, token);
    const known = await ctx.identities.find(claims!.issuer, claims!.subject);
    if (!known && (await ctx.identities.count(user._id)) >= maxIdentities)
      throw invalid({ identities: [`Identities cannot exceed ${maxIdentities}`] });
    const id = known ? known._id : await nextId(ctx.db, "identities");
    const identity = known ?? (await ctx.identities.insert(newIdentity(claims!, { id, userId: user._id, at })));
    if (identity?.userId !== user._id) throw new Fault("precondition", "The identity belongs to another user");
    ctx.deletions.created({ userId: user._id });
    if (!known) await checkAgain(ctx, id, sessionId);
    return { identity: toIdentity(identity), user: toUser(user), token: toToken(token) };
  };
