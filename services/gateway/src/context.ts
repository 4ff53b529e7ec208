import type { Bus } from "@ci/kit/bus/bus";
import type { TtlCache } from "@ci/kit/bus/ttl-cache";
import type { Log } from "@ci/kit/process/log";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Recorder } from "./audit/recorder.js";
import type { Openid } from "./auth/openid.js";
import type { PendingSignIns } from "./auth/pending.js";
import type { Sessions } from "./auth/sessions.js";
import type { Clients } from "./backend/clients.js";
import type { buildRenderer } from "./backend/rendered-builds.js";
import type { Users } from "./backend/users.js";
import type { Config } from "./config.js";
import type { Reply } from "./http/row.js";
import type { arriving } from "./limits/arriving.js";
import type { Forwarding } from "./limits/forwarding.js";
import type { OpenStreams } from "./limits/open-streams.js";
import type { Turns } from "./limits/turns.js";
import type { Unsent } from "./limits/unsent.js";

export interface Context extends Clients {
  /** For requests that are already known to be invalid, see http/complain.ts. */
  readonly validating: Clients;
  readonly config: Config;
  readonly log: Log;
  readonly bus: Bus;
  readonly users: Users;
  /** Namespaces by id, to embed them in records; never used to decide what a caller may see. */
  readonly namespaceCache: TtlCache<number, Namespace>;
  readonly renderBuilds: ReturnType<typeof buildRenderer>;
  readonly sessions: Sessions;
  readonly openid?: { readonly client: Openid; readonly pending: PendingSignIns } | undefined;
  /** The bodies of hooks that are arriving, by address. */
  readonly hookBodies: ReturnType<typeof arriving>;
  readonly forwarding: Forwarding;
  readonly downloadTurns: Turns;
  readonly checkHealth: () => Promise<void>;
  readonly openStreams: OpenStreams;
  readonly audit: Recorder;
  readonly documents: { readonly description: Reply; readonly manifestSchema: Reply };
  readonly unsent: Unsent;
  /** Aborted when the gateway stops: streams end. */
  readonly signal: AbortSignal;
}
