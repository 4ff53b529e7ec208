import { namespaceScope, userScope } from "@ci/access/record-scope";
import type { Context, Handlers } from "../context.js";
import { toImage } from "../domain/image.js";

export const findImage =
  (ctx: Context): Handlers["findImage"] =>
  async ({ name, userId, namespaceId, namespaceOnly }) => {
    const inNamespace = namespaceId === undefined ? null : await ctx.images.named(namespaceScope(namespaceId), name);
    const doc = inNamespace ?? (namespaceOnly ? null : await ctx.images.named(userScope(userId), name));
    return { image: doc ? toImage(doc) : undefined };
  };
