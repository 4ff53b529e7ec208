import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { notFound } from "@ci/kit/rpc/fault";
import { goneElsewhere } from "@ci/kit/rpc/served-call";
import { eventMessages } from "../actions/event-messages.js";
import { memberOf } from "../actions/find-webhook.js";
import { follow } from "../actions/follow.js";
import type { Context, Handlers } from "../context.js";
import type { Reach, StreamRecord } from "../store/stream-batches.js";
import { streamKeys } from "../streams/wakeups.js";

/** A new record or a changed membership may go unnoticed for this long and another second if its wake-up is lost. */
const maxSleepMs = 4_000;
/** Followers are kept for the log's time and an hour after this. */
const followAgainMs = 30 * 60 * 1_000;
const maxRoots = fixedLimit({
  max: 1_900,
  about: "trees of other users that one stream of a user's events covers",
  effect: "the stream has no events of the others",
});

const keysOf = ({ userId, rootIds }: Reach): string[] => [streamKeys.user(userId), ...rootIds.map(streamKeys.root)];

/** Drops records of namespaces whose members no longer include the user. */
async function visible(ctx: Context, userId: number, records: readonly StreamRecord[]): Promise<StreamRecord[]> {
  const namespaceIds = records.flatMap(({ namespaceId }) => namespaceId ?? []);
  if (namespaceIds.length === 0) return [...records];
  const open = await memberOf(ctx, userId, [...new Set(namespaceIds)]);
  return records.filter(({ namespaceId }) => namespaceId === undefined || open.has(namespaceId));
}

export const watchOwnEvents = (ctx: Context): Handlers["watchOwnEvents"] =>
  async function* ({ after, acceptsPieces }, { caller: { userId }, signal, stopping }) {
    if (userId === undefined) throw notFound();
    const ending = AbortSignal.any([signal, stopping]);
    await follow(ctx, userId, ending);
    let followedMs = performance.now();
    using watch = ctx.streamWakeups.watch([]);
    let position = after === undefined ? await ctx.stream.end() : Math.min(after, await ctx.stream.last());
    yield { position };
    let woken = true;
    while (!ending.aborted) {
      const { rootIds } = await ctx.accounts.listMemberships({ userId });
      const reach = { userId, rootIds: rootIds.slice(0, maxRoots) };
      // Watch before reading. Otherwise a wake-up between the two would be missed.
      watch.follow(keysOf(reach));
      const end = await (woken ? ctx.stream.end() : ctx.stream.recentEnd());
      const nothing = { records: [], until: position };
      const { records, until } = end > position ? await ctx.stream.reachable(reach, position, end) : nothing;
      for (const record of await visible(ctx, userId, records)) {
        // Check this before each record, because a slow reader may have left the namespace.
        const [shown] = await visible(ctx, userId, [record]);
        if (shown) yield* eventMessages(ctx, userId, shown, acceptsPieces);
      }
      position = until;
      if (records.length > 0) continue;
      woken = await watch.wokenUp(maxSleepMs, ending);
      if (performance.now() - followedMs > followAgainMs) {
        await ctx.followers.see(userId);
        followedMs = performance.now();
      }
    }
    if (stopping.aborted) throw goneElsewhere();
  };
