import type { Context } from "../../context.js";
import { isSurelyNewer, tipRefOf } from "../../domain/hooks/tip.js";
import { type BuiltDelivery, orderOf } from "../../store/hooks/hook-deliveries.js";
import type { RepositoryDoc } from "../../store/repositories.js";
import { readRef } from "./read-commit.js";
import type { WithoutSpared } from "./supersede.js";

async function tipOf(ctx: Context, repository: RepositoryDoc, { change }: BuiltDelivery): Promise<string | undefined> {
  const ref = tipRefOf(repository.provider, change);
  try {
    return ref && (await readRef(ctx, repository, ref));
  } catch (err) {
    if (ctx.signal.aborted) throw err;
    ctx.log.info({ err, repository: repository._id }, "tip of a branch or request is unknown");
    return undefined;
  }
}

/**
 * Spares the builds of the commit that the delivery's branch or request names now, because a delivery may arrive after
 * those of newer pushes. Asks the provider only if there are builds that may be newer than the delivery.
 */
export const spareTip =
  (ctx: Context, repository: RepositoryDoc, delivery: BuiltDelivery): WithoutSpared =>
  async (builds) => {
    const push = { ...delivery.change, order: orderOf(delivery) };
    const isOlder = builds.map(({ origin }) => isSurelyNewer(push, origin));
    const tip = isOlder.includes(false) ? await tipOf(ctx, repository, delivery) : undefined;
    return builds.filter(({ origin }, at) => isOlder[at] || origin.sha !== tip);
  };
