import { seeImage } from "../actions/see-image.js";
import type { Context, Handlers } from "../context.js";
import { toImage } from "../domain/image.js";

export const getImage =
  (ctx: Context): Handlers["getImage"] =>
  async ({ id }, { caller }) => ({ image: toImage(await seeImage(ctx, caller, id)) });
