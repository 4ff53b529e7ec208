import { notFound } from "@ci/kit/rpc/fault";
import { findRepository } from "../../actions/hooks/find-delivery.js";
import { removeRepository } from "../../actions/hooks/remove-repository.js";
import type { Context, RepositoryHandlers } from "../../context.js";

export const deleteRepository =
  (ctx: Context): RepositoryHandlers["deleteRepository"] =>
  async ({ namespaceId, id }, { caller }) => {
    await findRepository(ctx, caller, namespaceId, id);
    if (!(await removeRepository(ctx, id))) throw notFound();
    return {};
  };
