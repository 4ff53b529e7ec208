import type { Bus } from "@ci/kit/bus/bus";
import type { blobs } from "@ci/kit/bytes/blobs";
import type { Deletions } from "@ci/kit/mongo/deletions";
import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import type { Log } from "@ci/kit/process/log";
import type { Call } from "@ci/kit/rpc/rpc";
import type { BuildServiceImplementation } from "@ci/proto/builds/v1/builds";
import type { CronServiceImplementation } from "@ci/proto/builds/v1/crons";
import type { QueueServiceImplementation } from "@ci/proto/builds/v1/queue";
import type { RepositoryServiceImplementation } from "@ci/proto/builds/v1/repositories";
import type { AccountServiceClient } from "@ci/proto/namespaces/v1/accounts";
import type { NamespaceServiceClient } from "@ci/proto/namespaces/v1/namespaces";
import type { BuildInputServiceClient } from "@ci/proto/namespaces/v1/resources";
import type { Db } from "mongodb";
import type { Config } from "./config.js";
import type { News } from "./news.js";
import type { Places } from "./places.js";
import type { BuildStore } from "./store/builds.js";
import type { CronStore } from "./store/crons.js";
import type { HookDeliveryStore } from "./store/hook-deliveries.js";
import type { LineStore } from "./store/line.js";
import type { OutputStore } from "./store/output.js";
import type { QueueStore } from "./store/queue.js";
import type { RepositoryStore } from "./store/repositories.js";
import type { RunnerStore } from "./store/runners.js";
import type { SlotStore } from "./store/slots.js";
import type { Submitter } from "./submitters.js";

/** Everything a handler or a loop of this service needs. */
export interface Context {
  readonly config: Config;
  readonly builds: BuildStore;
  readonly queue: QueueStore;
  readonly crons: CronStore;
  /** Tell it of each record that is stored below a user or a namespace. */
  readonly deletions: Deletions;
  readonly line: LineStore;
  readonly slots: SlotStore;
  readonly runners: RunnerStore;
  /** Where queued builds stand. */
  readonly places: Places;
  readonly output: OutputStore;
  readonly repositories: RepositoryStore;
  readonly hookDeliveries: HookDeliveryStore;
  readonly artifacts: ReturnType<typeof blobs>;
  readonly accounts: AccountServiceClient;
  readonly namespaces: NamespaceServiceClient;
  readonly inputs: BuildInputServiceClient;
  readonly submitter: (userId: number) => Promise<Submitter>;
  readonly bus: Pick<Bus, "nudge">;
  readonly log: Log;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
  /** Connects to where strangers say, if that is allowed. */
  readonly agent: ReturnType<typeof guardedAgent>;
  /** Something is due about a delivery of a provider. */
  readonly wakeDeliveries: () => void;
  /** Tells watchers that a build has more output or another state. */
  readonly news: News;
  /** The id of this installation, for the marks of its runners. */
  readonly installation: string;
  /** Where ids come from. */
  readonly db: Db;
  readonly now: () => Date;
}

export type Handlers = BuildServiceImplementation<Call>;
export type CronHandlers = CronServiceImplementation<Call>;
export type QueueHandlers = QueueServiceImplementation<Call>;
export type RepositoryHandlers = RepositoryServiceImplementation<Call>;
