import type { Bus } from "@ci/kit/bus/bus";
import type { Blobs } from "@ci/kit/bytes/blobs";
import type { Deletions } from "@ci/kit/mongo/deletions";
import type { Guard, guardedAgent } from "@ci/kit/net/guarded-agent";
import type { Log } from "@ci/kit/process/log";
import type { Call } from "@ci/kit/rpc/served-call";
import type { ImageServiceImplementation } from "@ci/proto/images/v1/images";
import type { AccountServiceClient } from "@ci/proto/namespaces/v1/accounts";
import type { NamespaceServiceClient } from "@ci/proto/namespaces/v1/namespaces";
import type { Db } from "mongodb";
import type { Config } from "./config.js";
import type { ImageStore } from "./store/images.js";

export interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly images: ImageStore;
  /** Call `created` for each record stored below a namespace. */
  readonly deletions: Deletions;
  readonly contents: Blobs;
  readonly accounts: AccountServiceClient;
  readonly namespaces: NamespaceServiceClient;
  readonly bus: Pick<Bus, "nudge">;
  readonly guard: Guard;
  readonly agent: ReturnType<typeof guardedAgent>;
  readonly usesQemuImg: boolean;
  readonly db: Db;
  readonly signal: AbortSignal;
  readonly now: () => Date;
}

export type Handlers = ImageServiceImplementation<Call>;
