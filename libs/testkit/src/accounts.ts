import { randomBytes } from "node:crypto";
import { runAs } from "@ci/kit/rpc/caller";
import type { ServiceName } from "@ci/kit/rpc/callers";
import { parseKeys } from "@ci/kit/security/secrets";
import { start } from "@ci/namespaces/service";
import { type AccountServiceClient, AccountServiceDefinition, type User } from "@ci/proto/namespaces/v1/accounts";
import {
  type Namespace,
  type NamespaceServiceClient,
  NamespaceServiceDefinition,
} from "@ci/proto/namespaces/v1/namespaces";
import { type VariableServiceClient, VariableServiceDefinition } from "@ci/proto/namespaces/v1/resources";
import { connect, identityOf } from "./identities.js";
import { accountQuotas } from "./quotas.js";
import type { Suite } from "./suite.js";

export const testKeyring = parseKeys(`test:${Buffer.alloc(32, 7).toString("base64")}`);

/** Settings that all services of a test share. */
export const serviceSettings = (suite: Suite, service: ServiceName) => ({
  listen: "127.0.0.1:0",
  adminListen: "127.0.0.1:0",
  logLevel: process.env.LOG_LEVEL ?? "silent",
  mongoUrl: suite.mongoUrl,
  mongoDb: `${suite.mongoDb}_${service}`,
  natsUrl: suite.natsUrl,
  subjectPrefix: suite.subjectPrefix,
  stopDelayMs: 0,
  stopGraceMs: 1_000,
  identity: identityOf(service),
});

/** The running namespaces service, and helpers to fill it. */
export interface Accounts extends AsyncDisposable {
  readonly address: string;
  readonly adminToken: string;
  readonly accounts: AccountServiceClient;
  readonly namespaces: NamespaceServiceClient;
  readonly variables: VariableServiceClient;
  aUser(username: string): Promise<User>;
  aNamespace(user: User, path: string): Promise<Namespace>;
}

/** Starts the real namespaces service, for tests of services that call it. */
export async function startAccounts(suite: Suite, overrides: Parameters<typeof start>[1] = {}): Promise<Accounts> {
  const adminToken = `ci_${randomBytes(32).toString("base64url")}`;
  const config = {
    ...serviceSettings(suite, "namespaces"),
    keyring: testKeyring,
    objectBytes: 5 * 1024 * 1024,
    descriptionLength: 255,
    quotas: accountQuotas,
    auditRetentionMs: 90 * 24 * 60 * 60_000,
    sessionLifetimeMs: 30 * 24 * 60 * 60_000,
    sessionsPerUser: 50,
    createUsers: false,
    groupNamespaces: [],
    adminToken,
    adminUsername: "admin",
    adminEmail: "admin@localhost",
  };
  const service = await start(config, overrides);
  const address = `127.0.0.1:${service.port}`;
  const peer = connect(address);
  const accounts = peer.client(AccountServiceDefinition);
  const namespaces = peer.client(NamespaceServiceDefinition);
  return {
    address,
    adminToken,
    accounts,
    namespaces,
    variables: peer.client(VariableServiceDefinition),
    async aUser(username) {
      const { user } = await accounts.createUser({ username, email: `${username}@example.com`, admin: false });
      return user!;
    },
    async aNamespace(user, path) {
      const request = { name: path, userId: user.id, create: true };
      const { namespace } = await runAs({ userId: user.id, requestId: "test" }, () =>
        namespaces.enterNamespace(request),
      );
      return namespace!;
    },
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
