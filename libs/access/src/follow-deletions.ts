import type { Bus } from "@ci/kit/bus/bus";
import type { Deletions } from "@ci/kit/mongo/deletions";
import type { Host } from "@ci/kit/process/host";
import { Fault, isUnimplemented } from "@ci/kit/rpc/fault";

export interface Deleted {
  readonly kind: "user" | "namespace";
  readonly id: number;
  readonly at?: Date | undefined;
  readonly unpublished: boolean;
}

interface Page {
  readonly deletions: readonly Deleted[];
  readonly hasNext: boolean;
  readonly readAt?: Date | undefined;
}

interface DeletionClient {
  listDeletions(from: { since?: Date | undefined; after?: Deleted | undefined }): Promise<Page>;
}

/** Records the deletions that are not known here. Returns those that it leaves for a later call. */
export type Learn = (deletions: readonly Deleted[]) => Promise<readonly Deleted[]>;

/** How much earlier than its time a deletion may be stored, also across a change of MongoDB's primary. */
const overlapMs = 10 * 60_000;

const isUnavailable = (error: unknown) => error instanceof Fault && error.code === "unavailable";

const earliest = (times: readonly Date[]) => new Date(Math.min(...times.map((time) => time.getTime())));

/** Returns a pass that reads one page of deletions. Its loop may always rest; `readOn` is called if there is another page. */
export function followingDeletions(client: DeletionClient, learn: Learn, readOn: () => void): () => Promise<0> {
  let since: Date | undefined;
  let after: Deleted | undefined;
  let nextSince: Date | undefined;

  return async () => {
    const page = await client.listDeletions(after ? { after } : { since }).catch((error) => {
      // The service may be away, or a replica of the version before may respond. Both end.
      if (!isUnimplemented(error) && !isUnavailable(error)) throw error;
    });
    if (!page) return 0;
    const { deletions, hasNext, readAt = new Date(0) } = page;
    const left = await learn(deletions);
    nextSince ??= new Date(readAt.getTime() - overlapMs);
    nextSince = earliest([nextSince, ...left.map(({ at = new Date(0) }) => at)]);
    after = hasNext ? deletions.at(-1) : undefined;
    if (hasNext) readOn();
    else [since, nextSince] = [nextSince, undefined];
    return 0;
  };
}

export const learnInto =
  (deletions: Pick<Deletions, "missing" | "deleted">): Learn =>
  async (found) => {
    await deletions.deleted(await deletions.missing(found));
    return [];
  };

/** Finds deletions whose events NATS has lost: at the start, whenever NATS is back, and every three minutes. */
export function followDeletions(
  h: Pick<Host, "loop"> & { bus: Pick<Bus, "onConnected"> },
  client: DeletionClient,
  learn: Learn,
) {
  const following = h.loop(
    "follow-deletions",
    10_000,
    followingDeletions(client, learn, () => following.wake()),
    180_000,
  );
  h.bus.onConnected(following.wake);
}
