import type { Context } from "../../context.js";
import type { BuildDoc } from "../../domain/build.js";

/** Tells runners, waiting users and the audit log of new builds. The loops make up for it if the process dies before. */
export async function announce(ctx: Context, docs: readonly BuildDoc[]): Promise<void> {
  for (const doc of docs) {
    if (doc.status === "queued") ctx.places.queued(doc);
    ctx.deletions.created(doc);
  }
  ctx.entries.record(docs);
  await offer(
    ctx,
    docs.filter(({ awaitsApproval }) => !awaitsApproval),
  );
}

type Offering = Pick<Context, "line" | "bus" | "killReplaced">;

/** Lets runners claim queued builds. If the process dies before this, a loop does it. */
export async function offer(ctx: Offering, docs: readonly BuildDoc[]): Promise<void> {
  for (const driver of new Set(docs.map((doc) => doc.driver.type))) {
    const users = docs.filter((doc) => doc.driver.type === driver).map(({ userId }) => userId);
    await ctx.line.queued(driver, [...new Set(users)]);
    ctx.bus.nudge(`queue.${driver}`);
  }
  const groups = docs.flatMap(({ concurrency }) => (concurrency?.cancel ? [concurrency.key] : []));
  for (const key of new Set(groups)) await ctx.killReplaced(key);
}
