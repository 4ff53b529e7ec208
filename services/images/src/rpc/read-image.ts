import { notFound } from "@ci/kit/rpc/fault";
import type { Context, Handlers } from "../context.js";
import { seeImage } from "./see.js";

export const readImage = (ctx: Context): Handlers["readImage"] =>
  async function* ({ id, start, end }, { caller }) {
    // Without a user behind it, a call comes from a service acting by itself, such as a runner: it may read every image.
    const doc = caller.userId === undefined ? await ctx.images.get(id) : await seeImage(ctx, caller, id);
    if (!doc?.blobId) throw notFound();
    const range = { start, end: end === undefined ? undefined : end + 1 };
    for await (const chunk of ctx.contents.get(doc.blobId, range)) yield { chunk };
  };
