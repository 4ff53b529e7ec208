import { generateKeyPairSync } from "node:crypto";
import { connectBus } from "@ci/kit/bus/bus";
import { openMongo } from "@ci/kit/mongo/mongo";
import { createLog } from "@ci/kit/process/log";
import { Fault } from "@ci/kit/rpc/fault";
import {
  BuildInputServiceDefinition,
  KeyServiceDefinition,
  ObjectServiceDefinition,
  VariableServiceDefinition,
} from "@ci/proto/namespaces/v1/resources";
import { distinctEvents } from "@ci/testkit/collect-events";
import type { Suite } from "@ci/testkit/suite";
import type { Config } from "../src/config.js";
import type { Context } from "../src/context.js";
import { bootNamespaces } from "./_suite.js";

/** A private key in PEM form. */
export const privateKey = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }) as string;

/** Returns why a call was refused: its fields' complaints, or the code. */
export async function refusal(call: Promise<unknown>): Promise<unknown> {
  const thrown = await call.then(
    (answer) => answer,
    (error: unknown) => error,
  );
  if (!(thrown instanceof Fault)) throw new Error("Expected a fault", { cause: thrown });
  return thrown.code === "invalid" ? thrown.fields : thrown.code;
}

/** Boots the service. Returns it with its resource clients, its database and the events it publishes. */
export async function bootResources(suite: Suite, changes: Partial<Config> = {}, overrides: Partial<Context> = {}) {
  const service = await bootNamespaces(suite, changes, overrides);
  const mongo = await openMongo(suite.mongoUrl, service.config.mongoDb);
  const bus = await connectBus(suite.natsUrl, suite.subjectPrefix, "listener", createLog("listener", "silent"));
  const { events, collect } = distinctEvents();
  await bus.subscribe("listener", [">"], async (event) => collect(event));
  return {
    ...service,
    objects: service.peer.client(ObjectServiceDefinition),
    variables: service.peer.client(VariableServiceDefinition),
    keys: service.peer.client(KeyServiceDefinition),
    buildInputs: service.peer.client(BuildInputServiceDefinition),
    db: mongo.db,
    events,
    async close() {
      await bus[Symbol.asyncDispose]();
      await mongo[Symbol.asyncDispose]();
      await service.close();
    },
  };
}
