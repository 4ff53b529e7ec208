import type { NothingYet } from "@ci/kit/process/loop";
import { sharesOf } from "@ci/kit/turns/shares";
import { advance } from "../actions/hooks/advance.js";
import type { Context } from "../context.js";

/** Enough that a repository that does not respond delays few others. */
const slots = 8;
/** Owns the deliveries of repositories that are gone. */
const nobody = 0;

/** Returns a pass that starts the steps of hook deliveries that are due, in shares of their users, and returns how many run. */
export function advancingDeliveries(ctx: Context): () => Promise<number | NothingYet> {
  const { hookDeliveries: deliveries, repositories } = ctx;
  const shares = sharesOf<number>(slots);

  async function startSome(): Promise<number> {
    const due = await deliveries.due(await repositories.idsOfUsers(shares.sated()));
    const owners = await repositories.ownersOf(due.map(({ repositoryId }) => repositoryId));
    let started = 0;
    for (const { _id, repositoryId } of due) {
      const owner = owners.get(repositoryId) ?? nobody;
      const held = shares.mayStart(owner) && (await deliveries.claim(_id, ctx.config.hookLeaseMs));
      if (!held) continue;
      shares.start(owner, advance(ctx, held), ctx.wakeDeliveries);
      started++;
    }
    return started;
  }

  return async () => {
    const nextInMs = await deliveries.nextDueInMs();
    if (nextInMs !== undefined && nextInMs > 0) return { nextInMs };
    if (nextInMs !== undefined) while (!shares.isFull() && (await startSome()) > 0);
    return shares.running();
  };
}
