import { formatScope, readScope } from "@ci/access/scope";
import { complainIfTaken } from "@ci/kit/mongo/duplicates";
import { nextId } from "@ci/kit/mongo/ids";
import { type Caller, userOf } from "@ci/kit/rpc/caller";
import { notFound, unauthorized } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import { endToken } from "../actions/end-token.js";
import type { AccountHandlers, Context } from "../context.js";
import { tokenChanged } from "../domain/events.js";
import {
  expiryComplaints,
  grantComplaints,
  hashOf,
  newSecret,
  type TokenDoc,
  tokenNameComplaints,
  toToken,
} from "../domain/token.js";
import type { UserDoc } from "../domain/user.js";

type Request = Parameters<AccountHandlers["createToken"]>[0];

async function findOwner(ctx: Context, { username }: Request, caller: Caller): Promise<UserDoc> {
  const userId = userOf(caller);
  const [owner] = username === undefined ? await ctx.users.byIds([userId]) : [await ctx.users.byUsername(username)];
  if (owner && !owner.endedAt) return owner;
  throw username === undefined ? unauthorized() : notFound();
}

/** Returns the expiry of the creating token, which no token it creates may outlive. A deleted one creates none. */
async function expiryOf(ctx: Context, { tokenId, userId }: Caller): Promise<Date | undefined> {
  if (tokenId === undefined) return undefined;
  const creator = await ctx.tokens.byId(tokenId);
  if (creator?.userId !== userId) throw unauthorized();
  return creator?.expiresAt;
}

async function checkAgain(ctx: Context, request: Request, caller: Caller, token: TokenDoc): Promise<void> {
  try {
    await Promise.all([findOwner(ctx, request, caller), expiryOf(ctx, caller)]);
  } catch (error) {
    await endToken(ctx, token, { at: ctx.now(), actorId: caller.userId });
    throw error;
  }
}

export const createToken = (ctx: Context): AccountHandlers["createToken"] =>
  validated(async (request, { caller }) => {
    const owner = await findOwner(ctx, request, caller);
    const latest = await expiryOf(ctx, caller);
    const at = ctx.now();
    const { granted, complaints } = readScope(request.scope);
    const isTaken = await ctx.tokens.hasName(owner._id, request.name);
    return {
      complaints: {
        ...(await ctx.tokens.quotaComplaints(owner._id)),
        name: [...tokenNameComplaints(request.name), ...(isTaken ? ["Name already exists"] : [])],
        scope: [...complaints, ...grantComplaints(granted, caller.scope ?? "", owner.admin)],
        expires_at: expiryComplaints(request.expiresAt, at, latest),
      },
      async change() {
        const secret = newSecret();
        const id = await nextId(ctx.db, "tokens");
        const token = {
          _id: id,
          userId: owner._id,
          name: request.name,
          scope: formatScope(granted),
          createdAt: at,
          expiresAt: request.expiresAt ?? latest,
          hash: hashOf(secret),
          outbox: [tokenChanged({ at, actorId: caller.userId }, "created", { id, userId: owner._id })],
        };
        await ctx.tokens.insert(token).catch(complainIfTaken("name", "Name already exists"));
        ctx.deletions.created({ userId: owner._id });
        await checkAgain(ctx, request, caller, token);
        return { token: toToken(token), secret };
      },
    };
  });
