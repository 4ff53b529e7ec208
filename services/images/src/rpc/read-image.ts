import { notFound } from "@ci/kit/rpc/fault";
import { seeImage } from "../actions/see-image.js";
import type { Context, Handlers } from "../context.js";

export const readImage = (ctx: Context): Handlers["readImage"] =>
  async function* ({ id, start, end }, { caller, service }) {
    // A runner, which speaks for no user, may read any image.
    const doc = service === "runner" ? await ctx.images.get(id) : await seeImage(ctx, caller, id);
    if (!doc?.blobId) throw notFound();
    const range = { start, end: end === undefined ? undefined : end + 1 };
    for await (const chunk of ctx.contents.get(doc.blobId, range)) yield { chunk };
  };
