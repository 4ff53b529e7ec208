import type { Bus } from "@ci/kit/bus/bus";
import type { TtlCache } from "@ci/kit/bus/ttl-cache";
import type { Log } from "@ci/kit/process/log";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Clients } from "./backend/clients.js";
import type { Config } from "./config.js";
import type { People } from "./backend/users.js";
import type { Sessions } from "./auth/sessions.js";

/** Everything a request can be answered with. */
export interface Context extends Clients {
  readonly config: Config;
  readonly log: Log;
  readonly bus: Bus;
  readonly people: People;
  /** Namespaces by id, for showing them: who may see what is never decided by these. */
  readonly places: TtlCache<number, Namespace>;
  readonly sessions: Sessions;
  /** The OpenAPI description of the table. */
  readonly description: object;
  /** Aborted when the gateway stops: streams end. */
  readonly signal: AbortSignal;
}
