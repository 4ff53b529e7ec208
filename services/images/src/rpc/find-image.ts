import { imageScopes, readTicket } from "@ci/access/image-ticket";
import type { Context, Handlers } from "../context.js";
import { toImage } from "../domain/image.js";

export const findImage =
  (ctx: Context): Handlers["findImage"] =>
  async ({ ticket }) => {
    const named = readTicket(ctx.config.keyring, ticket, ctx.now());
    const doc = await ctx.images.firstNamed(imageScopes(named), named.name);
    return { image: doc && toImage(doc) };
  };
