import type { Context } from "../../context.js";

type Stores = Pick<Context, "repositories" | "hookDeliveries">;

/** Removes a repository; returns false if it did not exist. A concurrent delivery removes itself at its next step. */
export async function removeRepository({ repositories, hookDeliveries }: Stores, id: number): Promise<boolean> {
  const removed = await repositories.remove(id);
  await hookDeliveries.removeOfRepository(id);
  return removed;
}

export async function removeRepositories(ctx: Stores, find: () => Promise<number[]>): Promise<void> {
  for (let ids = await find(); ids.length > 0; ids = await find())
    for (const id of ids) await removeRepository(ctx, id);
}
