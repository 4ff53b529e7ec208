import { notFound } from "@ci/kit/rpc/fault";
import { removeRepository } from "../../actions/hooks/remove-repository.js";
import { requireMember } from "../../actions/require-member.js";
import type { Context, RepositoryHandlers } from "../../context.js";

export const deleteRepository =
  (ctx: Context): RepositoryHandlers["deleteRepository"] =>
  async ({ namespaceId, id }, { caller }) => {
    await requireMember(ctx, caller, namespaceId);
    const repository = await ctx.repositories.byId(id);
    if (repository?.namespaceId !== namespaceId) throw notFound();
    if (!(await removeRepository(ctx, id))) throw notFound();
    return {};
  };
