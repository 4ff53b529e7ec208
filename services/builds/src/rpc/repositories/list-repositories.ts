import type { Context, RepositoryHandlers } from "../../context.js";
import { toRepository } from "../../store/repositories.js";
import { enter } from "./enter.js";

export const listRepositories =
  (ctx: Context): RepositoryHandlers["listRepositories"] =>
  async ({ namespaceId, page: asked }, { caller }) => {
    await enter(ctx, caller, namespaceId);
    const { items, page } = await ctx.repositories.list(namespaceId, asked?.number);
    return { repositories: items.map(toRepository), page };
  };
