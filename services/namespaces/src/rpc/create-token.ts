import { formatScope, readScope } from "@ci/access/scope";
import { nextId } from "@ci/kit/mongo/ids";
import { complainIfTaken } from "@ci/kit/mongo/mongo";
import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import { refuse } from "@ci/kit/rpc/refuse";
import type { AccountHandlers, Context } from "../context.js";
import { expiryComplaints, grantComplaints, hashOf, newSecret, tokenNameComplaints, toToken } from "../domain/token.js";
import type { UserDoc } from "../domain/user.js";
import { tokenChanged } from "../events.js";
import { userOf } from "./see.js";

type Ask = Parameters<AccountHandlers["createToken"]>[0];

async function findOwner(ctx: Context, { username }: Ask, caller: Caller): Promise<UserDoc> {
  const userId = userOf(caller);
  const [owner] = username === undefined ? await ctx.users.byIds([userId]) : [await ctx.users.byUsername(username)];
  if (!owner || owner.endedAt) throw notFound();
  return owner;
}

/** The expiry of the token that asks, which no token it makes may outlive. */
async function expiryOf(ctx: Context, { tokenId }: Caller): Promise<Date | undefined> {
  const creator = tokenId === undefined ? null : await ctx.tokens.byId(tokenId);
  return creator?.expiresAt;
}

export const createToken =
  (ctx: Context): AccountHandlers["createToken"] =>
  async (ask, { caller }) => {
    const owner = await findOwner(ctx, ask, caller);
    const latest = await expiryOf(ctx, caller);
    const at = ctx.now();
    const { granted, complaints } = readScope(ask.scope);
    const isTaken = await ctx.tokens.hasName(owner._id, ask.name);
    refuse({
      name: [...tokenNameComplaints(ask.name), ...(isTaken ? ["Name already exists"] : [])],
      scope: [...complaints, ...grantComplaints(granted, caller.scope ?? "", owner.admin)],
      expires_at: expiryComplaints(ask.expiresAt, at, latest),
    });
    const secret = newSecret();
    const id = await nextId(ctx.db, "tokens");
    const token = {
      _id: id,
      userId: owner._id,
      name: ask.name,
      scope: formatScope(granted),
      createdAt: at,
      expiresAt: ask.expiresAt ?? latest,
      hash: hashOf(secret),
      outbox: [tokenChanged({ at, actorId: caller.userId }, "created", { id, userId: owner._id })],
    };
    await ctx.tokens.insert(token).catch(complainIfTaken("name", "Name already exists"));
    ctx.deletions.created({ userId: owner._id });
    return { token: toToken(token), secret };
  };
