import { showRepository } from "../../actions/hooks/show-repository.js";
import { requireMember } from "../../actions/see.js";
import type { Context, RepositoryHandlers } from "../../context.js";

export const listRepositories =
  (ctx: Context): RepositoryHandlers["listRepositories"] =>
  async ({ namespaceId, page: requested }, { caller }) => {
    await requireMember(ctx, caller, namespaceId);
    const { items, page } = await ctx.repositories.list(namespaceId, requested?.number);
    return { repositories: await Promise.all(items.map((doc) => showRepository(ctx, doc))), page };
  };
