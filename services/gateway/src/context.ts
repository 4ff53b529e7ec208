import type { Bus } from "@ci/kit/events";
import type { Log } from "@ci/kit/log";
import type { Clients } from "./clients.js";
import type { Config } from "./config.js";
import type { People } from "./people.js";
import type { Sessions } from "./sessions.js";

/** Everything a request can be answered with. */
export interface Context extends Clients {
  readonly config: Config;
  readonly log: Log;
  readonly bus: Bus;
  readonly people: People;
  readonly sessions: Sessions;
  /** The OpenAPI description of the table. */
  readonly description: object;
  /** Aborted when the gateway stops: streams end. */
  readonly signal: AbortSignal;
}
