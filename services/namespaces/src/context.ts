import type { Bus } from "@ci/kit/bus/bus";
import type { Blobs } from "@ci/kit/bytes/blobs";
import type { Deletions } from "@ci/kit/mongo/deletions";
import type { Log } from "@ci/kit/process/log";
import type { Call } from "@ci/kit/rpc/served-call";
import type { AccountServiceImplementation } from "@ci/proto/namespaces/v1/accounts";
import type { AuditServiceImplementation } from "@ci/proto/namespaces/v1/audit";
import type { NamespaceServiceImplementation } from "@ci/proto/namespaces/v1/namespaces";
import type {
  BuildInputServiceImplementation,
  KeyServiceImplementation,
  ObjectServiceImplementation,
  VariableServiceImplementation,
} from "@ci/proto/namespaces/v1/resources";
import type { Db } from "mongodb";
import type { Config } from "./config.js";
import type { AuditStore } from "./store/audit.js";
import type { DeletionList } from "./store/deletions.js";
import type { IdentityStore } from "./store/identities.js";
import type { KeyStore } from "./store/keys.js";
import type { MembershipStore } from "./store/memberships.js";
import type { NamespaceStore } from "./store/namespaces.js";
import type { ObjectStore } from "./store/objects.js";
import type { SessionStore } from "./store/sessions.js";
import type { TokenStore } from "./store/tokens.js";
import type { UserStore } from "./store/users.js";
import type { VariableStore } from "./store/variables.js";

export interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly identities: IdentityStore;
  readonly namespaces: NamespaceStore;
  readonly memberships: MembershipStore;
  readonly objects: ObjectStore;
  readonly objectBlobs: Blobs;
  readonly variables: VariableStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  /** Call `created` for each record stored below a user or a namespace. */
  readonly deletions: Deletions;
  readonly deletionList: DeletionList;
  readonly bus: Pick<Bus, "nudge">;
  readonly db: Db;
  readonly now: () => Date;
}

export type AccountHandlers = AccountServiceImplementation<Call>;
export type AuditHandlers = AuditServiceImplementation<Call>;
export type NamespaceHandlers = NamespaceServiceImplementation<Call>;
export type ObjectHandlers = ObjectServiceImplementation<Call>;
export type VariableHandlers = VariableServiceImplementation<Call>;
export type KeyHandlers = KeyServiceImplementation<Call>;
export type BuildInputHandlers = BuildInputServiceImplementation<Call>;
