import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import type { Log } from "@ci/kit/process/log";
import type { Driver_Type, QueueServiceClient } from "@ci/proto/builds/v1/queue";
import type { Copies } from "./caches/copies.js";
import type { Config } from "./config.js";
import type { Driver } from "./driver.js";
import type { Readiness } from "./work/readiness.js";

export type BuildQueue = Omit<QueueServiceClient, "claimBuild" | "renewLease" | "returnBuild" | "listLeases">;

/** What differs from the usual times, in tests of what happens in between. */
export interface Times {
  readonly holdMs?: number;
  readonly flushAfterMs?: number;
  readonly returnWithinMs?: number;
}

/** What running a build needs besides its driver. */
export interface BuildContext {
  readonly config: Pick<Config, "cloneBytes">;
  /** Connects to the repositories that the runner reads without git. */
  readonly agent: ReturnType<typeof guardedAgent>;
  readonly queue: BuildQueue;
  readonly copies: Copies;
  readonly times?: Times;
  /** Aborts when the runner is told to stop: what may end early then ends. */
  readonly draining?: AbortSignal;
  readonly log: Log;
}

export interface Context extends BuildContext {
  readonly config: Pick<Config, "builds" | "drainMs" | "id" | "cloneBytes">;
  readonly queue: QueueServiceClient;
  readonly drivers: ReadonlyMap<Driver_Type, Driver>;
  readonly readiness: Readiness;
}
