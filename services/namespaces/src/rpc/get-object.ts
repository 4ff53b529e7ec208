import type { Context } from "../context.js";
import { toObject } from "../domain/object.js";
import type { ObjectHandlers } from "../resource-parts.js";
import { seeObject } from "./see-object.js";

export const getObject =
  (ctx: Context): ObjectHandlers["getObject"] =>
  async ({ id }, { caller }) => ({ object: toObject(await seeObject(ctx, id, caller)) });
