import { seeObject } from "../actions/see-object.js";
import type { Context, ObjectHandlers } from "../context.js";
import { toObject } from "../domain/object.js";

export const getObject =
  (ctx: Context): ObjectHandlers["getObject"] =>
  async ({ id }, call) => ({ object: toObject(await seeObject(ctx, id, call)) });
