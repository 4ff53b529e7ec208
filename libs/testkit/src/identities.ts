import { generateKeyPairSync } from "node:crypto";
import type { IdentityConfig } from "@ci/kit/process/identity-config";
import { createLog } from "@ci/kit/process/log";
import { currentCaller } from "@ci/kit/rpc/caller";
import { callersOf, type ServiceName, serviceNames } from "@ci/kit/rpc/callers";
import * as rpc from "@ci/kit/rpc/connect";
import { type Identity, openIdentity } from "@ci/kit/rpc/identity";
import * as serving from "@ci/kit/rpc/serve";

const pairs = new Map(serviceNames.map((name) => [name, generateKeyPairSync("ed25519")]));
const peers = new Map([...pairs].map(([name, { publicKey }]) => [name, publicKey]));

const base64 = (der: Buffer) => der.toString("base64");

/** The identity of a service for the time of a test file. */
export const identityOf = (service: ServiceName): IdentityConfig => ({
  service,
  keys: { own: pairs.get(service)!.privateKey, peers },
});

/** The same identity as settings. */
export const identitySettings = (service: ServiceName): { SERVICE_KEY: string; SERVICE_PEERS: string } => ({
  SERVICE_KEY: base64(pairs.get(service)!.privateKey.export({ format: "der", type: "pkcs8" })),
  SERVICE_PEERS: [...peers]
    .map(([name, key]) => `${name}:${base64(key.export({ format: "der", type: "spki" }))}`)
    .join(),
});

const log = createLog("test", "silent");

export const openedIdentity = (service: ServiceName): Identity => openIdentity(identityOf(service), log);

const opened = new Map(serviceNames.map((name) => [name, openedIdentity(name)]));

/** Makes each call as a service that may make it: for its user, if it has one. */
const rightful: Identity = {
  ...openedIdentity("gateway"),
  prove(method, metadata) {
    const { forUsers, forItself } = callersOf(method);
    const services = currentCaller()?.userId === undefined ? [...forItself, ...forUsers] : [...forUsers, ...forItself];
    opened.get(services[0]!)?.prove(method, metadata);
  },
};

/** Connects as the services that may call what is called. */
export const connect = (address: string, identity = rightful): rpc.Peer => rpc.connect(address, identity);

type Serving = Omit<Parameters<typeof serving.serveRpc>[0], "identity">;

/** Serves calls of the services of this test file. */
export const serveRpc = (options: Serving, add: Parameters<typeof serving.serveRpc>[1]) =>
  serving.serveRpc({ ...options, identity: opened.get("namespaces")! }, add);
