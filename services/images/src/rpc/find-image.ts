import { namespaceScope, userScope } from "@ci/access/record-scope";
import { seeImage } from "../actions/see-image.js";
import type { Context, Handlers } from "../context.js";
import { toImage } from "../domain/image.js";

export const findImage =
  (ctx: Context): Handlers["findImage"] =>
  async ({ name, userId, namespaceId, namespaceOnly }, { caller }) => {
    const inNamespace = namespaceId === undefined ? null : await ctx.images.named(namespaceScope(namespaceId), name);
    const doc = inNamespace ?? (namespaceOnly ? null : await ctx.images.named(userScope(userId), name));
    if (!doc) return {};
    // A call without a user comes from another service, such as a runner. It may find any image.
    return { image: toImage(caller.userId === undefined ? doc : await seeImage(ctx, caller, doc._id)) };
  };
