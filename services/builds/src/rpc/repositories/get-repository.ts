import { findRepository } from "../../actions/hooks/find-delivery.js";
import { showRepository } from "../../actions/hooks/show-repository.js";
import type { Context, RepositoryHandlers } from "../../context.js";

export const getRepository =
  (ctx: Context): RepositoryHandlers["getRepository"] =>
  async ({ namespaceId, id }, { caller }) => ({
    repository: await showRepository(ctx, await findRepository(ctx, caller, namespaceId, id)),
  });
