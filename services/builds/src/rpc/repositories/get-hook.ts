import { notFound } from "@ci/kit/rpc/fault";
import type { Context, RepositoryHandlers } from "../../context.js";

export const getHook =
  (ctx: Context): RepositoryHandlers["getHook"] =>
  async ({ provider, id }) => {
    if ((await ctx.repositories.byId(id))?.provider !== provider) throw notFound();
    return {};
  };
