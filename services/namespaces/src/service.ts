import { blobs } from "@ci/kit/bytes/blobs";
import { deletionsIn, tendDeletions } from "@ci/kit/mongo/deletions";
import { host, type Service } from "@ci/kit/process/host";
import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { AuditServiceDefinition } from "@ci/proto/namespaces/v1/audit";
import { NamespaceServiceDefinition } from "@ci/proto/namespaces/v1/namespaces";
import {
  BuildInputServiceDefinition,
  KeyServiceDefinition,
  ObjectServiceDefinition,
  VariableServiceDefinition,
} from "@ci/proto/namespaces/v1/resources";
import { bootstrap } from "./actions/bootstrap.js";
import { clear } from "./actions/clear.js";
import type { Config } from "./config.js";
import type { Context } from "./context.js";
import { clearDeleted } from "./loops/clear-deleted.js";
import { pruneAudit } from "./loops/prune-audit.js";
import { sweepBlobs } from "./loops/sweep-blobs.js";
import { auditHandlers } from "./rpc/audit/index.js";
import { accountHandlers, namespaceHandlers } from "./rpc/index.js";
import { resourceHandlers } from "./rpc/resources.js";
import { auditStore } from "./store/audit.js";
import { deletionList } from "./store/deletions.js";
import { identityStore } from "./store/identities.js";
import { makeIndexes } from "./store/indexes.js";
import { keyStore } from "./store/keys.js";
import { membershipStore } from "./store/memberships.js";
import { migrations } from "./store/migrations.js";
import { namespaceStore } from "./store/namespaces.js";
import { objectStore } from "./store/objects.js";
import { makeResourceIndexes } from "./store/resource-indexes.js";
import { sessionStore } from "./store/sessions.js";
import { tokenStore } from "./store/tokens.js";
import { userStore } from "./store/users.js";
import { variableStore } from "./store/variables.js";

const clearEveryMs = 2_000;
/** The longest rest of the loop that completes the deletions of a dead process. */
const restMs = 16_000;
const sweepEveryMs = 10 * 60_000;
const pruneEveryMs = 10 * 60_000;
const keepStreamEveryMs = 10_000;
/** How long events stay on NATS after they were read, unless the stream fills up. */
const keepEventsMs = 3 * 24 * 60 * 60_000;
const collections = ["users", "tokens", "sessions", "namespaces", "memberships", "objects", "variables", "keys"];

/** Starts the namespaces service. Tests override parts of its context, such as the clock. */
export const start = (config: Config, overrides: Partial<Context> = {}): Promise<Service> =>
  host("namespaces", config, async (h) => {
    await makeIndexes(h.db);
    await makeResourceIndexes(h.db);
    h.migrate(migrations);
    const nudge = h.relay(...collections.map((name) => h.db.collection<never>(name)));
    const objectBlobs = blobs(h.db, "objects");
    await objectBlobs.ensureIndexes();
    const audit = auditStore(h.db);
    await audit.ensureIndexes();
    const deletions = deletionsIn(
      h.db,
      (parent) => clear(ctx, parent),
      () => ctx.now(),
    );
    await deletions.ensureIndexes();
    const listed = deletionList(h.db);
    await listed.ensureIndexes();
    const ctx: Context = {
      config,
      log: h.log,
      users: userStore(h.db, nudge),
      tokens: tokenStore(h.db, nudge, config.quotas),
      sessions: sessionStore(h.db, nudge),
      identities: identityStore(h.db),
      namespaces: namespaceStore(h.db, nudge, config.quotas),
      memberships: membershipStore(h.db, nudge, config.quotas),
      objects: objectStore(h.db, nudge, config.quotas),
      objectBlobs,
      variables: variableStore(h.db, nudge, config.quotas),
      keys: keyStore(h.db, nudge, config.quotas),
      audit,
      deletions,
      deletionList: listed,
      bus: h.bus,
      db: h.db,
      now: h.now,
      ...overrides,
    };
    await bootstrap(ctx);
    tendDeletions(h, deletions);
    h.loop("clear-deleted", clearEveryMs, () => clearDeleted(ctx), restMs);
    h.loop("sweep-blobs", sweepEveryMs, () => sweepBlobs(ctx));
    h.loop("prune-audit", pruneEveryMs, () => pruneAudit(ctx));
    h.loop("keep-event-stream", keepStreamEveryMs, async () => {
      await h.bus.ensureReaders().finally(() => h.bus.trim(keepEventsMs));
    });
    return (server) => {
      server.add(AccountServiceDefinition, accountHandlers(ctx));
      server.add(AuditServiceDefinition, auditHandlers(ctx));
      server.add(NamespaceServiceDefinition, namespaceHandlers(ctx));
      const resources = resourceHandlers(ctx);
      server.add(ObjectServiceDefinition, resources.object);
      server.add(VariableServiceDefinition, resources.variable);
      server.add(KeyServiceDefinition, resources.key);
      server.add(BuildInputServiceDefinition, resources.buildInput);
    };
  });
