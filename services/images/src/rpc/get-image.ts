import type { Context, Handlers } from "../context.js";
import { toImage } from "../domain/image.js";
import { seeImage } from "./see.js";

export const getImage =
  (ctx: Context): Handlers["getImage"] =>
  async ({ id }, { caller }) => ({ image: toImage(await seeImage(ctx, caller, id)) });
