import type { Context } from "../context.js";

type Stores = Pick<Context, "repositories" | "hookDeliveries">;

/** Removes a repository with what it still had to do; whether it was there. A delivery that comes in now goes by itself. */
export async function removeRepository({ repositories, hookDeliveries }: Stores, id: number): Promise<boolean> {
  const removed = await repositories.remove(id);
  await hookDeliveries.removeOf(id);
  return removed;
}

/** Removes every repository that `some` still finds, some at a time. */
export async function removeRepositories(ctx: Stores, some: () => Promise<number[]>): Promise<void> {
  for (let ids = await some(); ids.length > 0; ids = await some())
    for (const id of ids) await removeRepository(ctx, id);
}
