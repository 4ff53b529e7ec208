import { imageScopes, readTicket } from "@ci/access/image-ticket";
import { notFound } from "@ci/kit/rpc/fault";
import { seeImage } from "../actions/see-image.js";
import type { Context, Handlers } from "../context.js";
import type { ImageDoc } from "../domain/image.js";

/** Returns the image if the ticket names it. The runner has no other rights. */
async function namedImage(ctx: Context, id: number, ticket: string | undefined): Promise<ImageDoc> {
  const named = readTicket(ctx.config.keyring, ticket, ctx.now());
  const doc = await ctx.images.get(id);
  if (doc?.name !== named.name || !imageScopes(named).includes(doc.scope)) throw notFound();
  return doc;
}

export const readImage = (ctx: Context): Handlers["readImage"] =>
  async function* ({ id, start, end, ticket }, { caller, service }) {
    const doc = await (service === "runner" ? namedImage(ctx, id, ticket) : seeImage(ctx, caller, id));
    if (!doc.blobId) throw notFound();
    const range = { start, end: end === undefined ? undefined : end + 1 };
    for await (const chunk of ctx.contents.get(doc.blobId, range)) yield { chunk };
  };
