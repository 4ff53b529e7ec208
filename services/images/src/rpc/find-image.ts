import { readTicket } from "@ci/access/image-ticket";
import { namespaceScope, userScope } from "@ci/access/record-scope";
import type { Context, Handlers } from "../context.js";
import { toImage } from "../domain/image.js";

export const findImage =
  (ctx: Context): Handlers["findImage"] =>
  async ({ ticket }) => {
    const { name, userId, namespaceId, namespaceOnly } = readTicket(ctx.config.keyring, ticket, ctx.now());
    const inNamespace = namespaceId === undefined ? null : await ctx.images.named(namespaceScope(namespaceId), name);
    const doc = inNamespace ?? (namespaceOnly ? null : await ctx.images.named(userScope(userId), name));
    return { image: doc ? toImage(doc) : undefined };
  };
