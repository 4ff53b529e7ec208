import { seeObject } from "../actions/see-object.js";
import type { Context, ObjectHandlers } from "../context.js";

export const readObject = (ctx: Context): ObjectHandlers["readObject"] =>
  async function* ({ id, start, end }, { caller }) {
    const { blobId } = await seeObject(ctx, id, caller);
    const range = { start, end: end === undefined ? undefined : end + 1 };
    for await (const chunk of ctx.objectBlobs.get(blobId, range)) yield { chunk };
  };
