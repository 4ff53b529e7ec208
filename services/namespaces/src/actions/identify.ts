import { formatScope } from "@ci/access/scope";
import { duplicateKey } from "@ci/kit/mongo/duplicates";
import { nextId } from "@ci/kit/mongo/ids";
import { Fault, notFound } from "@ci/kit/rpc/fault";
import type { Claims } from "@ci/proto/namespaces/v1/accounts";
import type { Context } from "../context.js";
import { firstFree, isEmail, placeholderEmail, usernameFrom, usernamesLike } from "../domain/claimed-user.js";
import { tokenChanged, userChanged } from "../domain/events.js";
import { type IdentityDoc, nameIn, newIdentity } from "../domain/identity.js";
import { hashOf, newSecret, permissionsOf, type TokenDoc } from "../domain/token.js";
import { keyOf, newUser, toUser, type UserDoc } from "../domain/user.js";
import { endUseOf } from "./end-identity.js";
import { groupJoiner } from "./join-groups.js";

const maxTries = 10;

/** Stores the identity before its user is created, so that concurrent sign-ins create one user. */
async function firstSignIn(ctx: Context, claims: Claims, at: Date): Promise<IdentityDoc | null> {
  if (!ctx.config.createUsers) throw notFound();
  const [id, userId] = [await nextId(ctx.db, "identities"), await nextId(ctx.db, "users")];
  return ctx.identities.insert(newIdentity(claims, { id, userId, at }));
}

/** Creates the user of an identity. Never reuses a name that another user has or had. */
async function createUser(ctx: Context, { userId: id }: IdentityDoc, claims: Claims, at: Date): Promise<UserDoc> {
  const usernames = usernamesLike(usernameFrom(claims.username));
  for (let tries = 0; tries < maxTries; tries++) {
    const taken = new Set((await ctx.users.withKeys(usernames.map(keyOf))).map(({ usernameKey }) => usernameKey));
    const username = firstFree(usernames, taken);
    const verified = isEmail(claims.email) && !(await ctx.users.byHandle(claims.email)) ? claims.email : undefined;
    const user = newUser({ id, username, email: verified ?? placeholderEmail(username), admin: false, at });
    try {
      await ctx.users.insert({ ...user, outbox: [userChanged({ at }, "created", toUser(user))] });
      return user;
    } catch (error) {
      if (!duplicateKey(error)) throw error;
      const [created] = await ctx.users.byIds([id]);
      if (created) return created;
    }
  }
  throw new Fault("conflict", "All usernames similar to the claimed one are taken; try again");
}

/** Returns the token for an identity's sessions. Nobody knows its secret. */
async function tokenOf(ctx: Context, { _id: identityId, userId }: IdentityDoc, admin: boolean, at: Date) {
  const scope = formatScope(permissionsOf(admin));
  for (let tries = 0; tries < maxTries; tries++) {
    const held = await ctx.tokens.regrantIdentity(identityId, scope);
    if (held) return held;
    const id = await nextId(ctx.db, "tokens");
    const hash = hashOf(newSecret());
    const name = `OpenID Connect ${hash.slice(0, 8)}`;
    const outbox = [tokenChanged({ at, actorId: userId }, "created", { id, userId })];
    const token = { _id: id, userId, name, scope, createdAt: at, hash, identityId, outbox };
    try {
      await ctx.tokens.insert(token);
      ctx.deletions.created({ userId });
      return token;
    } catch (error) {
      if (!duplicateKey(error)) throw error;
    }
  }
  throw new Fault("conflict", "The token of the identity is repeatedly created and deleted; try again later");
}

/**
 * Returns a function that finds the token for a provider's claims, and creates the user if the settings allow it. The
 * function returns null if the user is deleted. Fault `not_found` if nobody has the identity.
 */
export function identifier(ctx: Context) {
  const joinGroups = groupJoiner(ctx);
  return async (claims: Claims, at: Date): Promise<TokenDoc | null> => {
    const { issuer, subject, groups } = claims;
    const identity = (await ctx.identities.find(issuer, subject)) ?? (await firstSignIn(ctx, claims, at));
    if (!identity) return null;
    const [known] = await ctx.users.byIds([identity.userId]);
    const user = known ?? (await createUser(ctx, identity, claims, at));
    if (user.endedAt) return null;
    ctx.deletions.created({ userId: user._id });
    const act = { at, actorId: user._id };
    await joinGroups(identity, groups, act);
    const token = await tokenOf(ctx, identity, user.admin, at);
    if (await ctx.identities.used(identity._id, nameIn(claims.username), at)) return token;
    // The identity was disconnected meanwhile.
    await endUseOf(ctx, identity._id, act);
    return null;
  };
}
