import { expireGrants } from "@ci/access/grants";
import type { Context } from "../context.js";
import type { Act } from "../domain/events.js";
import { endToken } from "./end-token.js";
import { leaveGroups } from "./join-groups.js";

/** Ends the sessions of an identity and the memberships from its groups. Safe to repeat. */
export async function endUseOf(ctx: Context, identityId: number, act: Act): Promise<void> {
  const token = await ctx.tokens.ofIdentity(identityId);
  if (token) await endToken(ctx, token, act);
  if (await leaveGroups(ctx, identityId, new Set(), act)) await expireGrants(ctx.bus);
}
