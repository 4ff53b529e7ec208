import { AccountServiceDefinition, type AccountServiceImplementation } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { connect, serveRpc } from "@ci/testkit/identities";
import { freePort } from "@ci/testkit/processes";
import { createLog } from "../src/process/log.js";
import { type Caller, currentCaller, runAs } from "../src/rpc/caller.js";
import { asFault, Fault, invalid } from "../src/rpc/fault.js";
import type { Call, Peer } from "../src/rpc/rpc.js";

const log = createLog("test", "silent");
const user = { id: 1, email: "a@b", username: "a", admin: false, createdAt: new Date(0) };
type Answers = Pick<AccountServiceImplementation<Call>, "getUser">;
/** The one method these tests need. */
const definition = {
  ...AccountServiceDefinition,
  methods: { getUser: AccountServiceDefinition.methods.getUser },
} as const;

let server: AsyncDisposable & { port: number };
let peer: Peer;

/** A server that answers getUser only. */
async function serve(answers: Answers, listen = "127.0.0.1:0"): Promise<void> {
  server = await serveRpc({ listen, log }, (to) => to.add(definition, answers));
  peer = connect(`127.0.0.1:${server.port}`);
}

const ask = () => peer.client(definition).getUser({ by: { $case: "id", value: 1 } });

afterEach(async () => {
  await peer[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

it("carries the caller to the handler and into what it calls", async () => {
  const seen: (Caller | undefined)[] = [];
  await serve({
    async getUser(_ask, { caller }) {
      seen.push(caller, currentCaller());
      return { user };
    },
  });
  const caller = { userId: 7, scope: "build:read", tokenId: 3, requestId: "r-1", traceparent: "00-ab-cd-01" };
  expect(await runAs(caller, ask)).toEqual({ user: expect.objectContaining({ username: "a" }) });
  expect(seen).toEqual([caller, caller]);
});

it.each([
  ["a complaint about fields", invalid({ name: ["Name field required", "Ünïcode"] })],
  ["a plain one", new Fault("forbidden", "Token lacks permission build:write")],
  ["a conflict", new Fault("conflict", "Build 1 can no longer become running")],
])("returns %s to the peer as it was thrown", async (_what, fault) => {
  await serve({
    async getUser() {
      throw fault;
    },
  });
  const thrown = asFault(await ask().catch((error) => error));
  expect(thrown).toMatchObject({ code: fault.code, message: fault.message });
  expect(thrown.fields).toEqual(fault.fields);
});

it("reveals nothing about an unexpected error", async () => {
  await serve({
    async getUser() {
      throw new Error("password in /etc/secret");
    },
  });
  const thrown = await ask().catch((error) => error);
  expect(thrown).toMatchObject({ code: "internal", message: "Internal error" });
});

it("reports a missing peer as unavailable, and connects when it appears", async () => {
  const listen = `127.0.0.1:${await freePort()}`;
  await serve({ getUser: async () => ({ user }) }, listen);
  await server[Symbol.asyncDispose]();
  expect(await ask().catch((error) => error)).toMatchObject({ code: "unavailable" });
  const again = { getUser: async () => ({ user }) };
  server = await serveRpc({ listen, log }, (to) => to.add(definition, again));
  expect(await eventually(ask)).toMatchObject({ user: { id: 1 } });
});
