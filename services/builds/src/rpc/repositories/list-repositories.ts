import { requireMember } from "../../actions/see.js";
import type { Context, RepositoryHandlers } from "../../context.js";
import { toRepository } from "../../store/repositories.js";

export const listRepositories =
  (ctx: Context): RepositoryHandlers["listRepositories"] =>
  async ({ namespaceId, page: requested }, { caller }) => {
    await requireMember(ctx, caller, namespaceId);
    const { items, page } = await ctx.repositories.list(namespaceId, requested?.number);
    return { repositories: items.map(toRepository), page };
  };
