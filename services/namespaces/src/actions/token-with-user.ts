import { unauthorized } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import type { TokenDoc } from "../domain/token.js";
import type { UserDoc } from "../domain/user.js";

/** Returns a valid token with its user. Fault `unauthenticated` if the token is gone or has expired, or its user is deleted. */
export async function tokenWithUser(
  ctx: Pick<Context, "users">,
  token: TokenDoc | null,
  now: Date,
): Promise<{ token: TokenDoc; user: UserDoc }> {
  if (!token || (token.expiresAt && token.expiresAt <= now)) throw unauthorized();
  const [user] = await ctx.users.byIds([token.userId]);
  if (!user || user.endedAt) throw unauthorized();
  return { token, user };
}
