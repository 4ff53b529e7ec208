import type { Bus } from "@ci/kit/bus/bus";
import type { Blobs } from "@ci/kit/bytes/blobs";
import type { Deletions } from "@ci/kit/mongo/deletions";
import type { Guard, guardedAgent } from "@ci/kit/net/guarded-agent";
import type { Log } from "@ci/kit/process/log";
import type { Call } from "@ci/kit/rpc/rpc";
import type { ImageServiceImplementation } from "@ci/proto/images/v1/images";
import type { AccountServiceClient } from "@ci/proto/namespaces/v1/accounts";
import type { NamespaceServiceClient } from "@ci/proto/namespaces/v1/namespaces";
import type { Db } from "mongodb";
import type { Config } from "./config.js";
import type { ImageStore } from "./store/images.js";

/** Everything a handler or a loop of this service needs. */
export interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly images: ImageStore;
  /** Tell it of each record that is stored below a namespace. */
  readonly deletions: Deletions;
  /** The bytes of the images. */
  readonly contents: Blobs;
  readonly accounts: AccountServiceClient;
  readonly namespaces: NamespaceServiceClient;
  readonly bus: Pick<Bus, "nudge">;
  /** What downloads may connect to. */
  readonly guard: Guard;
  /** The connections of downloads over HTTP. */
  readonly agent: ReturnType<typeof guardedAgent>;
  /** Whether qemu-img is there to be asked about new images. */
  readonly asksQemuImg: boolean;
  /** Where ids come from. */
  readonly db: Db;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
  readonly now: () => Date;
}

export type Handlers = ImageServiceImplementation<Call>;
