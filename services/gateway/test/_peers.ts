import { createLog } from "@ci/kit/process/log";
import type { Call } from "@ci/kit/rpc/served-call";
import { BuildServiceDefinition, type BuildServiceImplementation } from "@ci/proto/builds/v1/builds";
import { RepositoryServiceDefinition, type RepositoryServiceImplementation } from "@ci/proto/builds/v1/repositories";
import { AccountServiceDefinition, type AccountServiceImplementation } from "@ci/proto/namespaces/v1/accounts";
import { type Api, apiAt } from "@ci/testkit/api";
import { identitySettings, serveRpc } from "@ci/testkit/identities";
import { anyRate } from "@ci/testkit/rates";
import type { Suite } from "@ci/testkit/suite";
import { readConfig } from "../src/config.js";
import { type Gateway, start } from "../src/service.js";

/** The methods of the backing services. All others fail with an internal error. */
export interface Peers {
  readonly accounts?: Partial<AccountServiceImplementation<Call>>;
  readonly builds?: Partial<BuildServiceImplementation<Call>>;
  readonly repositories?: Partial<RepositoryServiceImplementation<Call>>;
}

const at = new Date(0);
const user = { id: 1, username: "ann", email: "a@x", admin: true, createdAt: at };
const token = { id: 2, userId: 1, name: "t", scope: "build:read,write", createdAt: at };

/** Returns all methods of a service, each of which fails. */
export const failingMethods = ({ methods }: { methods: object }) =>
  Object.fromEntries(Object.keys(methods).map((name) => [name, () => Promise.reject(new Error("not answered"))]));

/** A gateway with scripted backing services. */
export interface ScriptedGateway extends Api, Pick<Gateway, "port" | "drain">, AsyncDisposable {
  readonly origin: string;
  /** Returns the status of /readyz. */
  ready(): Promise<number>;
}

/** Starts a gateway whose backing services the test scripts. */
export async function gatewayWith(
  { natsUrl, subjectPrefix }: Suite,
  { accounts = {}, builds = {}, repositories = {} }: Peers,
): Promise<ScriptedGateway> {
  const log = createLog("peers", "silent");
  const rpc = await serveRpc({ listen: "127.0.0.1:0", log }, (server) => {
    const usual = { authenticate: async () => ({ user, token }), getUser: async () => ({ user }) };
    server.add(AccountServiceDefinition, {
      ...failingMethods(AccountServiceDefinition),
      ...usual,
      ...accounts,
    } as never);
    server.add(BuildServiceDefinition, { ...failingMethods(BuildServiceDefinition), ...builds } as never);
    const hooks = { ...failingMethods(RepositoryServiceDefinition), ...repositories };
    server.add(RepositoryServiceDefinition, hooks as never);
  });
  const peer = `127.0.0.1:${rpc.port}`;
  const publicUrl = "http://ci.test";
  const gateway = await start(
    readConfig({
      ...identitySettings("gateway"),
      ...anyRate,
      PUBLIC_URL: publicUrl,
      LISTEN: "127.0.0.1:0",
      LOG_LEVEL: "silent",
      NATS_URL: natsUrl,
      SUBJECT_PREFIX: subjectPrefix,
      NAMESPACES_ADDR: peer,
      BUILDS_ADDR: peer,
      // Nothing listens there.
      IMAGES_ADDR: "127.0.0.1:1",
      WEBHOOKS_ADDR: "127.0.0.1:1",
    }),
  );
  const origin = `http://127.0.0.1:${gateway.port}`;
  return {
    ...apiAt({ publicUrl, origin, token: "any" }),
    origin,
    port: gateway.port,
    drain: (hurry) => gateway.drain(hurry),
    ready: async () => (await fetch(`http://127.0.0.1:${gateway.adminPort}/readyz`)).status,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await rpc[Symbol.asyncDispose]();
    },
  };
}
