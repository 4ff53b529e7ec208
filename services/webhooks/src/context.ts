import type { Deletions } from "@ci/kit/mongo/deletions";
import type { Log } from "@ci/kit/process/log";
import type { BuildServiceClient } from "@ci/proto/builds/v1/builds";
import type { AccountServiceClient } from "@ci/proto/namespaces/v1/accounts";
import type { Config } from "./config.js";
import type { Desk } from "./desk.js";
import type { Fresh } from "./fresh.js";
import type { Holds } from "./holds.js";
import type { Lanes } from "./lanes.js";
import type { Post } from "./post.js";
import type { Presence } from "./presence.js";
import type { Deliveries } from "./store/deliveries.js";
import type { Stream } from "./store/stream.js";
import type { Webhooks } from "./store/webhooks.js";
import type { Tail } from "./tail.js";

/** What the handlers, the event consumer and the loops work with. */
export interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly webhooks: Webhooks;
  /** Tell it of each webhook that is stored. */
  readonly deletions: Deletions;
  readonly deliveries: Deliveries;
  readonly stream: Stream;
  readonly tail: Tail;
  readonly accounts: Pick<AccountServiceClient, "allow" | "resolve">;
  readonly builds: Pick<BuildServiceClient, "getLatestBuilds">;
  readonly post: Post;
  readonly desk: Desk;
  readonly fresh: Fresh;
  readonly holds: Holds;
  readonly lanes: Lanes;
  /** This process, among those that share the work. */
  readonly presence: Presence;
  newWebhookId(): Promise<number>;
  /** Reserves ids of deliveries; the first of them. */
  newDeliveryIds(count: number): Promise<number>;
  /** Has the failed deliveries looked for that were asked for again. */
  wakeRedelivery(): void;
  /** Tells the other processes that there is something to send to a webhook. */
  tellOthers(webhookId: number): void;
  now(): Date;
}
