import { notFound } from "@ci/kit/rpc/fault";
import type { Context, RepositoryHandlers } from "../../context.js";
import { removeRepository } from "../../hooks/remove-repository.js";
import { enter } from "./enter.js";

export const deleteRepository =
  (ctx: Context): RepositoryHandlers["deleteRepository"] =>
  async ({ namespaceId, id }, { caller }) => {
    await enter(ctx, caller, namespaceId);
    const repository = await ctx.repositories.byId(id);
    if (repository?.namespaceId !== namespaceId) throw notFound();
    if (!(await removeRepository(ctx, id))) throw notFound();
    return {};
  };
