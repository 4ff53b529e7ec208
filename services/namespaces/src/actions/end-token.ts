import type { Context } from "../context.js";
import { type Act, tokenChanged } from "../domain/events.js";
import type { TokenDoc } from "../domain/token.js";

/** Deletes a token with its sessions and sign-in links, also those that it opens meanwhile. */
export async function endToken(ctx: Context, { _id: id, userId }: TokenDoc, act: Act): Promise<void> {
  await ctx.sessions.forgetToken(id);
  await ctx.tokens.remove(id, act.at, tokenChanged(act, "deleted", { id, userId }));
  await ctx.sessions.forgetToken(id);
}
