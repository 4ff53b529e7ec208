import { asFault } from "@ci/kit/rpc/fault";
import type { Context } from "../../context.js";
import type { BuildDoc } from "../../domain/build.js";
import type { Origin } from "../../domain/origin.js";
import type { UnfinishedBuild } from "../../store/hooks/hook-builds.js";
import { forksOf } from "../../store/repositories.js";
import { type Killing, killBuild } from "../kill-build.js";

/** The position of a delivery among those of its branch or request. */
export type Precedence = Required<Pick<Origin, "subject" | "order">>;

type Parts = Killing & Pick<Context, "hookDeliveries">;

export type WithoutSpared = (builds: readonly UnfinishedBuild[]) => Promise<readonly UnfinishedBuild[]>;

/**
 * Kills the unfinished builds that are older than a delivery or than the newest build. With `waiting`, it kills only
 * those that wait for approval, and deliveries without builds count as newer, too. Safe to repeat, in any order.
 */
export async function killSuperseded(
  ctx: Parts,
  { subject, order }: Precedence,
  only: "waiting" | "all",
  withoutSpared: WithoutSpared,
): Promise<void> {
  const built = (await ctx.builds.newestOf(subject)) ?? order;
  const delivered = only === "waiting" ? ((await ctx.hookDeliveries.newestOf(subject)) ?? order) : order;
  const older = await ctx.builds.supersededOf(subject, Math.max(order, built, delivered));
  for (const { _id } of await withoutSpared(older.filter(({ awaitsApproval }) => only === "all" || awaitsApproval)))
    await killBuild(ctx, _id, "a newer push or run", ({ awaitsApproval }) => only === "waiting" && !awaitsApproval);
}

const unlessGone = (error: unknown): void => {
  if (asFault(error).code !== "not_found") throw error;
};

/** Kills the builds that wait for approval while the repository ignores forks: nobody is meant to approve them any more. */
export async function killIgnored(ctx: Killing & Pick<Context, "repositories">, repositoryId: number): Promise<void> {
  const spares = ({ awaitsApproval }: BuildDoc) => !awaitsApproval;
  const waiting = async () => {
    const repository = await ctx.repositories.byId(repositoryId);
    return repository && forksOf(repository) === "ignore" ? ctx.builds.waitingOf(repositoryId) : [];
  };
  for (let ids = await waiting(); ids.length > 0; ids = await waiting())
    for (const id of ids) await killBuild(ctx, id, "its repository's setting forks: ignore", spares).catch(unlessGone);
}
