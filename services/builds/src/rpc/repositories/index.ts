import type { Context, RepositoryHandlers } from "../../context.js";
import { createRepository } from "./create-repository.js";
import { deleteRepository } from "./delete-repository.js";
import { getHook } from "./get-hook.js";
import { listRepositories } from "./list-repositories.js";
import { receiveHook } from "./receive-hook.js";

export const repositoryHandlers = (ctx: Context): RepositoryHandlers => ({
  createRepository: createRepository(ctx),
  listRepositories: listRepositories(ctx),
  deleteRepository: deleteRepository(ctx),
  getHook: getHook(ctx),
  receiveHook: receiveHook(ctx),
});
