import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../../context.js";
import type { HookDelivery } from "../../store/hooks/hook-deliveries.js";
import type { RepositoryDoc } from "../../store/repositories.js";
import { requireMember } from "../see.js";

/** Returns a repository that the caller may change. Throws `not_found`. */
export async function findRepository(
  ctx: Context,
  caller: Caller,
  namespaceId: number,
  id: number,
): Promise<RepositoryDoc> {
  await requireMember(ctx, caller, namespaceId);
  const repository = await ctx.repositories.byId(id);
  if (repository?.namespaceId !== namespaceId) throw notFound();
  return repository;
}

interface DeliveryRef {
  readonly namespaceId: number;
  readonly repositoryId: number;
  readonly id: number;
}

/** Returns a delivery of a repository that the caller may change. Throws `not_found`. */
export async function findDelivery(
  ctx: Context,
  caller: Caller,
  { namespaceId, repositoryId, id }: DeliveryRef,
): Promise<HookDelivery> {
  await findRepository(ctx, caller, namespaceId, repositoryId);
  const delivery = await ctx.hookDeliveries.byNumber(repositoryId, id);
  if (!delivery) throw notFound();
  return delivery;
}
