import type { Context, RepositoryHandlers } from "../../context.js";
import { createRepository } from "./create-repository.js";
import { deleteRepository } from "./delete-repository.js";
import { getHook } from "./get-hook.js";
import { getHookDelivery } from "./get-hook-delivery.js";
import { getRepository } from "./get-repository.js";
import { listHookDeliveries } from "./list-hook-deliveries.js";
import { listRepositories } from "./list-repositories.js";
import { receiveHook } from "./receive-hook.js";
import { redeliverHook } from "./redeliver-hook.js";
import { runRepository } from "./run-repository.js";
import { updateRepository } from "./update-repository.js";

export const repositoryHandlers = (ctx: Context): RepositoryHandlers => ({
  createRepository: createRepository(ctx),
  getRepository: getRepository(ctx),
  listRepositories: listRepositories(ctx),
  updateRepository: updateRepository(ctx),
  deleteRepository: deleteRepository(ctx),
  listHookDeliveries: listHookDeliveries(ctx),
  getHookDelivery: getHookDelivery(ctx),
  redeliverHook: redeliverHook(ctx),
  runRepository: runRepository(ctx),
  getHook: getHook(ctx),
  receiveHook: receiveHook(ctx),
});
