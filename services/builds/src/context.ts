import type { Bus } from "@ci/kit/bus/bus";
import type { blobs } from "@ci/kit/bytes/blobs";
import type { Clock } from "@ci/kit/mongo/clock";
import type { Deletions } from "@ci/kit/mongo/deletions";
import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import type { Log } from "@ci/kit/process/log";
import type { Call } from "@ci/kit/rpc/served-call";
import type { Fairly } from "@ci/kit/turns/fairly";
import type { CronServiceImplementation } from "@ci/proto/builds/v1/crons";
import type { OperatorServiceImplementation } from "@ci/proto/builds/v1/operators";
import type { QueueServiceImplementation } from "@ci/proto/builds/v1/queue";
import type { RepositoryServiceImplementation } from "@ci/proto/builds/v1/repositories";
import type { EncodedBuildServiceImplementation } from "@ci/proto/encoded-builds";
import type { AccountServiceClient } from "@ci/proto/namespaces/v1/accounts";
import type { NamespaceServiceClient } from "@ci/proto/namespaces/v1/namespaces";
import type {
  GetBuildInputsRequest,
  GetBuildInputsResponse,
  ObjectServiceClient,
} from "@ci/proto/namespaces/v1/resources";
import type { Db } from "mongodb";
import type { killingReplaced } from "./actions/kill-replaced.js";
import type { Feeds } from "./actions/output/feeds.js";
import type { Wakeups } from "./actions/output/wakeups.js";
import type { ClaimTurns } from "./actions/queue/claim-turns.js";
import type { Places } from "./actions/queue/queue-places.js";
import type { EntryRecorder } from "./actions/record-entries.js";
import type { Submitter } from "./actions/submit/submitters.js";
import type { Config } from "./config.js";
import type { BuildStore } from "./store/builds.js";
import type { CacheStore } from "./store/caches.js";
import type { CronStore } from "./store/crons.js";
import type { HookDeliveryStore } from "./store/hooks/hook-deliveries.js";
import type { HookRemovalStore } from "./store/hooks/hook-removals.js";
import type { OutputStore } from "./store/output.js";
import type { LineStore } from "./store/queue/line.js";
import type { QueueStore } from "./store/queue/queue.js";
import type { QueueMinuteStore } from "./store/queue/queue-minutes.js";
import type { RunnerStore } from "./store/queue/runners.js";
import type { SlotStore } from "./store/queue/slots.js";
import type { RepositoryStore } from "./store/repositories.js";
import type { TestStore } from "./store/tests.js";

export interface Context {
  readonly config: Config;
  readonly builds: BuildStore;
  readonly queue: QueueStore;
  readonly crons: CronStore;
  /** Call `created` for each record that is stored below a user or a namespace. */
  readonly deletions: Deletions;
  readonly line: LineStore;
  readonly claims: ClaimTurns;
  readonly slots: SlotStore;
  readonly runners: RunnerStore;
  readonly places: Places;
  readonly queueMinutes: QueueMinuteStore;
  readonly output: OutputStore;
  readonly repositories: RepositoryStore;
  readonly hookDeliveries: HookDeliveryStore;
  readonly hookRemovals: HookRemovalStore;
  readonly caches: CacheStore;
  readonly tests: TestStore;
  /** The contents of artifacts and of caches. */
  readonly contents: ReturnType<typeof blobs>;
  /** Deletes released contents in the background. */
  readonly discard: (blobIds: readonly string[]) => void;
  readonly killReplaced: ReturnType<typeof killingReplaced>;
  readonly accounts: AccountServiceClient;
  readonly namespaces: NamespaceServiceClient;
  readonly inputs: { getBuildInputs(request: GetBuildInputsRequest): Promise<GetBuildInputsResponse> };
  readonly objects: Pick<ObjectServiceClient, "readObject">;
  readonly entries: EntryRecorder;
  readonly submitter: (userId: number) => Promise<Submitter>;
  readonly bus: Pick<Bus, "nudge">;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Connects to addresses that users choose, if they are allowed. */
  readonly agent: ReturnType<typeof guardedAgent>;
  /** Reads a commit in its user's turn. */
  readonly inReadingTurn: Fairly<number>;
  /** Makes the loop look for due cron jobs soon. */
  readonly stirCrons: () => void;
  /** Makes the loop look for due hook deliveries now. */
  readonly wakeDeliveries: () => void;
  /** Makes the loop look for due removals of hooks now. */
  readonly wakeHookRemovals: () => void;
  /** What runs in the background: runs of cron jobs, steps of hook deliveries, removals of hooks, deletions of contents, kills. */
  readonly tasks: Set<Promise<void>>;
  /** Wakes the watchers of a build that has more output or another state. */
  readonly wakeups: Wakeups;
  /** The builds whose output is being followed. */
  readonly feeds: Feeds;
  /** The id of this installation, for the marks of its runners. */
  readonly installation: string;
  readonly db: Db;
  readonly now: () => Date;
  readonly clock: Pick<Clock, "compare" | "steps">;
}

export type Handlers = EncodedBuildServiceImplementation<Call>;
export type CronHandlers = CronServiceImplementation<Call>;
export type QueueHandlers = QueueServiceImplementation<Call>;
export type OperatorHandlers = OperatorServiceImplementation<Call>;
export type RepositoryHandlers = RepositoryServiceImplementation<Call>;
