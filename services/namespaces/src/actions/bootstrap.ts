import { everyPermission, formatScope } from "@ci/access/scope";
import { duplicateKey, insertedUnlessTaken } from "@ci/kit/mongo/duplicates";
import { nextId } from "@ci/kit/mongo/ids";
import type { Context } from "../context.js";
import { tokenChanged, userChanged } from "../domain/events.js";
import { hashOf } from "../domain/token.js";
import { newUser, toUser, type UserDoc } from "../domain/user.js";
import { endToken } from "./end-token.js";

const maxTries = 10;

/** Returns the configured account, and creates it if it is missing; or returns why it cannot exist. */
async function findAdmin(ctx: Context): Promise<UserDoc | string> {
  const { adminUsername: username, adminEmail: email } = ctx.config;
  const found = await ctx.users.byUsername(username);
  if (found) return found.endedAt ? "the account in CI_ADMIN_USERNAME was deleted" : found;
  const act = { at: ctx.now() };
  const user = newUser({ id: await nextId(ctx.db, "users"), username, email, admin: true, at: act.at });
  try {
    await ctx.users.insert({ ...user, outbox: [userChanged(act, "created", toUser(user))] });
    return user;
  } catch (error) {
    if (!duplicateKey(error)) throw error;
    // Another replica created the account, or another account has the address.
    return (await ctx.users.byUsername(username)) ?? "the address in CI_ADMIN_EMAIL belongs to another account";
  }
}

/** Deletes bootstrap tokens that were created from earlier settings. */
async function endOthers(ctx: Context, hash: string | undefined, userId: number | undefined): Promise<void> {
  const at = ctx.now();
  for (const token of await ctx.tokens.fromSettings())
    if (token.hash !== hash || token.userId !== userId) await endToken(ctx, token, { at });
}

async function createToken(ctx: Context, hash: string, userId: number, scope: string): Promise<boolean> {
  const id = await nextId(ctx.db, "tokens");
  const at = ctx.now();
  const outbox = [tokenChanged({ at }, "created", { id, userId })];
  const token = { _id: id, userId, name: "bootstrap", scope, createdAt: at, hash, bootstrap: true as const, outbox };
  const isInserted = await insertedUnlessTaken(ctx.tokens.insert(token));
  if (isInserted) ctx.deletions.created({ userId });
  return isInserted;
}

/**
 * Creates the configured admin account and its token, and deletes bootstrap tokens of earlier settings. Replicas may run
 * it concurrently: the first write wins. If the account cannot exist, there is no token, but the service still starts,
 * because the account can also be deleted while the service runs. If the secret is that of another token, all tokens stay.
 */
export async function bootstrap(ctx: Context): Promise<void> {
  const { adminToken } = ctx.config;
  const admin = adminToken ? await findAdmin(ctx) : undefined;
  if (typeof admin === "string") ctx.log.error({ reason: admin }, "no bootstrap token");
  if (!adminToken || !admin || typeof admin === "string") return endOthers(ctx, undefined, undefined);
  const { _id: userId } = admin;
  if (!admin.admin) {
    const promoted = toUser({ ...admin, admin: true });
    await ctx.users.promote(userId, userChanged({ at: ctx.now() }, "updated", promoted));
  }
  const hash = hashOf(adminToken);
  const holder = await ctx.tokens.byHash(hash);
  if (holder && !holder.bootstrap) {
    const reason = "CI_ADMIN_TOKEN is the secret of another token: set another value, or delete that token and restart";
    return ctx.log.error({ reason, token: holder._id, user: holder.userId }, "bootstrap token not created");
  }
  const scope = formatScope(everyPermission);
  for (let tries = 0; tries < maxTries; tries++) {
    await endOthers(ctx, hash, userId);
    if ((await ctx.tokens.regrant(hash, userId, scope)) || (await createToken(ctx, hash, userId, scope))) return;
  }
  throw new Error("Replicas with different values of CI_ADMIN_TOKEN are starting at the same time");
}
