import { deletionsIn, tendDeletions } from "@ci/kit/mongo/deletions";
import { host, type Service } from "@ci/kit/process/host";
import { AccountServiceDefinition } from "@ci/proto/namespaces/v1/accounts";
import { NamespaceServiceDefinition } from "@ci/proto/namespaces/v1/namespaces";
import {
  BuildInputServiceDefinition,
  KeyServiceDefinition,
  ObjectServiceDefinition,
  VariableServiceDefinition,
} from "@ci/proto/namespaces/v1/resources";
import { bootstrap } from "./bootstrap.js";
import { clear } from "./clear.js";
import type { Config } from "./config.js";
import type { Context } from "./context.js";
import { clearDeleted } from "./loops/clear-deleted.js";
import { resourceParts } from "./resource-parts.js";
import { accountHandlers, namespaceHandlers } from "./rpc/index.js";
import { resourceHandlers } from "./rpc/resources.js";
import { makeIndexes } from "./store/indexes.js";
import { membershipStore } from "./store/memberships.js";
import { migrations } from "./store/migrations.js";
import { namespaceStore } from "./store/namespaces.js";
import { tokenStore } from "./store/tokens.js";
import { userStore } from "./store/users.js";

const clearEveryMs = 2_000;

/** Starts the namespaces service. `overrides` replace parts of its context, such as the clock. */
export const start = (config: Config, overrides: Partial<Context> = {}): Promise<Service> =>
  host("namespaces", config, async (h) => {
    await makeIndexes(h.db);
    h.migrate(migrations);
    const reporting = ["users", "tokens", "namespaces", "memberships", "objects", "variables", "keys"];
    const news = h.relay(...reporting.map((name) => h.db.collection<never>(name)));
    const deletions = deletionsIn(
      h.db,
      (parent) => clear(ctx, parent),
      () => ctx.now(),
    );
    await deletions.ensureIndexes();
    const ctx: Context = {
      config,
      log: h.log,
      users: userStore(h.db, news),
      tokens: tokenStore(h.db, news),
      namespaces: namespaceStore(h.db, news),
      memberships: membershipStore(h.db, news),
      deletions,
      bus: h.bus,
      db: h.db,
      news,
      now: h.now,
      ...(await resourceParts(h, config, news)),
      ...overrides,
    };
    await bootstrap(ctx);
    tendDeletions(h, deletions);
    h.loop("clear-deleted", clearEveryMs, () => clearDeleted(ctx));
    return (server) => {
      server.add(AccountServiceDefinition, accountHandlers(ctx));
      server.add(NamespaceServiceDefinition, namespaceHandlers(ctx));
      const resources = resourceHandlers(ctx);
      server.add(ObjectServiceDefinition, resources.object);
      server.add(VariableServiceDefinition, resources.variable);
      server.add(KeyServiceDefinition, resources.key);
      server.add(BuildInputServiceDefinition, resources.buildInput);
    };
  });
