import { findRepository } from "../../actions/hooks/find-delivery.js";
import type { Context, RepositoryHandlers } from "../../context.js";
import { toRepository } from "../../store/repositories.js";

export const getRepository =
  (ctx: Context): RepositoryHandlers["getRepository"] =>
  async ({ namespaceId, id }, { caller }) => ({
    repository: toRepository(await findRepository(ctx, caller, namespaceId, id)),
  });
