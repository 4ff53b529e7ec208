import { seeObject } from "../actions/see-object.js";
import type { Context, ObjectHandlers } from "../context.js";

export const readObject = (ctx: Context): ObjectHandlers["readObject"] =>
  async function* ({ id, start, end }, call) {
    const { blobId } = await seeObject(ctx, id, call);
    const range = { start, end: end === undefined ? undefined : end + 1 };
    for await (const chunk of ctx.objectBlobs.get(blobId, range)) yield { chunk };
  };
