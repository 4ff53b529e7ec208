import type { Deletions } from "@ci/kit/mongo/deletions";
import type { Log } from "@ci/kit/process/log";
import type { Call } from "@ci/kit/rpc/served-call";
import type { BuildServiceClient } from "@ci/proto/builds/v1/builds";
import type { AccountServiceClient } from "@ci/proto/namespaces/v1/accounts";
import type { WebhookServiceImplementation } from "@ci/proto/webhooks/v1/webhooks";
import type { Config } from "./config.js";
import type { BatchedWrites } from "./delivery/batched-writes.js";
import type { Heartbeat } from "./delivery/heartbeat.js";
import type { IdleLanes } from "./delivery/idle-lanes.js";
import type { LaneScheduler } from "./delivery/lane-scheduler.js";
import type { PayloadTurns } from "./delivery/payload-turns.js";
import type { Post } from "./delivery/post.js";
import type { RecentDeliveries } from "./delivery/recent-deliveries.js";
import type { RenderPayloads } from "./delivery/render-once.js";
import type { SeenWebhooks } from "./delivery/seen-webhooks.js";
import type { SharedPayloads } from "./delivery/shared-payloads.js";
import type { Woken } from "./delivery/wake.js";
import type { Deferral } from "./events/deferral.js";
import type { Followed } from "./events/followed.js";
import type { OrderedIds } from "./events/ordered-ids.js";
import type { DeferredEvents } from "./store/deferred-events.js";
import type { Deliveries } from "./store/deliveries.js";
import type { Followers } from "./store/followers.js";
import type { Payloads } from "./store/payloads.js";
import type { RemovedWebhooks } from "./store/removed-webhooks.js";
import type { Stream } from "./store/stream.js";
import type { Webhooks } from "./store/webhooks.js";
import type { LongPayloads } from "./streams/long-payloads.js";
import type { StreamWakeups } from "./streams/wakeups.js";

export type Handlers = Required<WebhookServiceImplementation<Call>>;

export interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly webhooks: Webhooks;
  /** Must be called after each webhook that is stored. */
  readonly deletions: Deletions;
  readonly deliveries: Deliveries;
  readonly deferredEvents: DeferredEvents;
  readonly deferral: Deferral;
  readonly removedWebhooks: RemovedWebhooks;
  readonly payloads: Payloads;
  readonly sharedPayloads: SharedPayloads;
  readonly stream: Stream;
  readonly longPayloads: LongPayloads;
  readonly streamWakeups: StreamWakeups;
  readonly followers: Followers;
  readonly followed: Followed;
  readonly accounts: Pick<AccountServiceClient, "allow" | "listDeletions" | "listMemberships" | "resolve">;
  readonly uncachedAccounts: Pick<AccountServiceClient, "allow" | "resolve">;
  readonly builds: Pick<BuildServiceClient, "getLatestBuilds">;
  readonly renderPayloads: RenderPayloads;
  readonly post: Post;
  readonly payloadTurns: PayloadTurns;
  readonly writes: BatchedWrites;
  readonly recent: RecentDeliveries;
  readonly seen: SeenWebhooks;
  readonly idleLanes: IdleLanes;
  readonly lanes: LaneScheduler;
  readonly heartbeat: Heartbeat;
  newWebhookId(): Promise<number>;
  /** Runs what stores deliveries one at a time: their ids grow in the order in which they are stored. */
  inTurn<T>(task: () => Promise<T>): Promise<T>;
  readonly deliveryIds: OrderedIds;
  /** Whether a reader of the service has handled all events that NATS has now. */
  hasRead(reader: "webhooks" | "event-stream"): Promise<boolean>;
  /** Returns the id of a test. Those of later deliveries are higher after a second, unless NATS is away. */
  newTestId(): Promise<number>;
  wakeDeferred(): void;
  wakeRedelivery(): void;
  wakeReplay(): void;
  wakeRemoval(): void;
  /** Ends the rest of the loops that tend lanes. They rest while there are none. */
  stirLanes(): void;
  /** Tells other processes to send to a webhook, if one of them holds its lane. */
  wakeHolder(webhook: Woken): void;
  now(): Date;
}
