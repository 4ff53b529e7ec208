import { everyPermission, formatScope } from "@ci/access/scope";
import { nextId } from "@ci/kit/mongo/ids";
import { duplicateKey } from "@ci/kit/mongo/mongo";
import type { Context } from "./context.js";
import { hashOf } from "./domain/token.js";
import { newUser, toUser, type UserDoc } from "./domain/user.js";
import { tokenChanged, userChanged } from "./events.js";

const mostTries = 10;

/** The configured account, made if it is missing; or why nobody can be it. */
async function findAdmin(ctx: Context): Promise<UserDoc | string> {
  const { adminUsername: username, adminEmail: email } = ctx.config;
  const found = await ctx.users.byUsername(username);
  if (found) return found.endedAt ? "the account that CI_ADMIN_USERNAME names was deleted" : found;
  const act = { at: ctx.now() };
  const user = newUser({ id: await nextId(ctx.db, "users"), username, email, admin: true, at: act.at });
  try {
    await ctx.users.insert({ ...user, outbox: [userChanged(act, "created", toUser(user))] });
    return user;
  } catch (error) {
    if (!duplicateKey(error)) throw error;
    // Another instance was quicker, or somebody else has the address.
    return (await ctx.users.byUsername(username)) ?? "the address in CI_ADMIN_EMAIL belongs to another account";
  }
}

/** Ends the bootstrap tokens of other settings. */
async function endOthers(ctx: Context, hash: string | undefined, userId: number | undefined): Promise<void> {
  const at = ctx.now();
  for (const token of await ctx.tokens.fromSettings())
    if (token.hash !== hash || token.userId !== userId)
      await ctx.tokens.remove(token._id, at, tokenChanged({ at }, "deleted", { id: token._id, userId: token.userId }));
}

async function makeToken(ctx: Context, hash: string, userId: number, scope: string): Promise<boolean> {
  const id = await nextId(ctx.db, "tokens");
  const at = ctx.now();
  const outbox = [tokenChanged({ at }, "created", { id, userId })];
  try {
    await ctx.tokens.insert({
      _id: id,
      userId,
      name: "bootstrap",
      scope,
      createdAt: at,
      hash,
      bootstrap: true,
      outbox,
    });
    ctx.deletions.created({ userId });
    return true;
  } catch (error) {
    if (duplicateKey(error)) return false;
    throw error;
  }
}

/**
 * Makes the configured admin account and its token exist, and ends those of earlier settings.
 * Harmless when several instances do it at once: the first that writes wins, the others find what it wrote.
 * Settings that cannot be met end the token but not the service: an account can be deleted while it is up.
 */
export async function bootstrap(ctx: Context): Promise<void> {
  const { adminToken } = ctx.config;
  const admin = adminToken ? await findAdmin(ctx) : undefined;
  if (typeof admin === "string") ctx.log.error(`no bootstrap token: ${admin}`);
  if (!adminToken || !admin || typeof admin === "string") return endOthers(ctx, undefined, undefined);
  const { _id: userId } = admin;
  if (!admin.admin) {
    const promoted = toUser({ ...admin, admin: true });
    await ctx.users.promote(userId, userChanged({ at: ctx.now() }, "updated", promoted));
  }
  const hash = hashOf(adminToken);
  const scope = formatScope(everyPermission);
  for (let tries = 0; tries < mostTries; tries++) {
    await endOthers(ctx, hash, userId);
    if ((await ctx.tokens.regrant(hash, userId, scope)) || (await makeToken(ctx, hash, userId, scope))) return;
  }
  throw new Error("Instances with different settings of CI_ADMIN_TOKEN are starting at once");
}
