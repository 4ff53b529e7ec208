import type { Context, Handlers } from "../context.js";
import { namespaceScope, toImage, userScope } from "../domain/image.js";
import { seeImage } from "./see.js";

export const findImage =
  (ctx: Context): Handlers["findImage"] =>
  async ({ name, userId, namespaceId, namespaceOnly }, { caller }) => {
    const inNamespace = namespaceId === undefined ? null : await ctx.images.named(namespaceScope(namespaceId), name);
    const doc = inNamespace ?? (namespaceOnly ? null : await ctx.images.named(userScope(userId), name));
    if (!doc) return {};
    // Without a user behind it, a call comes from a service acting by itself, such as a runner: it may find every image.
    return { image: toImage(caller.userId === undefined ? doc : await seeImage(ctx, caller, doc._id)) };
  };
