import type { Bus } from "@ci/kit/bus/bus";
import type { Deletions } from "@ci/kit/mongo/deletions";
import type { Log } from "@ci/kit/process/log";
import type { Call } from "@ci/kit/rpc/rpc";
import type { AccountServiceImplementation } from "@ci/proto/namespaces/v1/accounts";
import type { NamespaceServiceImplementation } from "@ci/proto/namespaces/v1/namespaces";
import type { Collection, Db } from "mongodb";
import type { Config } from "./config.js";
import type { ResourceParts } from "./resource-parts.js";
import type { MembershipStore } from "./store/memberships.js";
import type { NamespaceStore } from "./store/namespaces.js";
import type { TokenStore } from "./store/tokens.js";
import type { UserStore } from "./store/users.js";

/** Says that a document has events for the relay. */
export type News = (collection: Collection<never>, id: unknown) => void;

/** Everything a handler or a loop of this service needs. */
export interface Context extends ResourceParts {
  readonly config: Config;
  readonly log: Log;
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly namespaces: NamespaceStore;
  readonly memberships: MembershipStore;
  /** Tell it of each record that is stored below a user or a namespace. */
  readonly deletions: Deletions;
  readonly bus: Pick<Bus, "nudge">;
  /** Where ids come from. */
  readonly db: Db;
  readonly news: News;
  /** Takes objects, variables and keys out of deleted namespaces; they become their user's alone. */
  readonly releaseFromNamespaces: (namespaceIds: readonly number[]) => Promise<void>;
  readonly now: () => Date;
}

export type AccountHandlers = AccountServiceImplementation<Call>;
export type NamespaceHandlers = NamespaceServiceImplementation<Call>;
