import { getEventListeners } from "node:events";
import { AccountServiceDefinition, type AccountServiceImplementation } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { connect, serveRpc } from "@ci/testkit/identities";
import { freePort } from "@ci/testkit/ports";
import { createLog } from "../src/process/log.js";
import { type Caller, currentCaller, runAs } from "../src/rpc/caller.js";
import type { Peer } from "../src/rpc/connect.js";
import { asFault, Fault, invalid } from "../src/rpc/fault.js";
import type { Call } from "../src/rpc/served-call.js";

const log = createLog("test", "silent");
const user = { id: 1, email: "a@b", username: "a", admin: false, createdAt: new Date(0) };
type Handlers = Pick<AccountServiceImplementation<Call>, "getUser">;
const definition = {
  ...AccountServiceDefinition,
  methods: { getUser: AccountServiceDefinition.methods.getUser },
} as const;

let server: AsyncDisposable & { port: number };
let peer: Peer;

/** Starts a server and connects to it. */
async function serve(handlers: Handlers, listen = "127.0.0.1:0"): Promise<void> {
  server = await serveRpc({ listen, log }, (router) => router.add(definition, handlers));
  peer = connect(`127.0.0.1:${server.port}`);
}

const getUser = (options?: { signal: AbortSignal }) =>
  peer.client(definition).getUser({ by: { $case: "id", value: 1 } }, options);

afterEach(async () => {
  await peer[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

it("a call carries its caller to the handler", async () => {
  const callers: (Caller | undefined)[] = [];
  await serve({
    async getUser(_ask, { caller }) {
      callers.push(caller, currentCaller());
      return { user };
    },
  });
  const caller = { userId: 7, scope: "build:read", tokenId: 3, requestId: "r-1", traceparent: "00-ab-cd-01" };
  expect(await runAs(caller, () => getUser())).toEqual({ user: expect.objectContaining({ username: "a" }) });
  expect(callers).toEqual([caller, caller]);
});

it.each([
  ["an invalid request", invalid({ name: ["Name field required", "Ünïcode"] })],
  ["a missing permission", new Fault("forbidden", "Token lacks permission build:write")],
  ["a conflict", new Fault("conflict", "Build 1 can no longer become running")],
])("a call that fails with %s throws the same fault at the client", async (_what, fault) => {
  await serve({
    async getUser() {
      throw fault;
    },
  });
  const thrown = asFault(await getUser().catch((error) => error));
  expect(thrown).toMatchObject({ code: fault.code, message: fault.message });
  expect(thrown.fields).toEqual(fault.fields);
});

it("a call that fails unexpectedly reveals nothing about the error", async () => {
  await serve({
    async getUser() {
      throw new Error("password in /etc/secret");
    },
  });
  const thrown = await getUser().catch((error) => error);
  expect(thrown).toMatchObject({ code: "internal", message: "Internal error" });
});

it("a call to a missing server fails as unavailable, and succeeds once the server is up", async () => {
  const listen = `127.0.0.1:${await freePort()}`;
  await serve({ getUser: async () => ({ user }) }, listen);
  await server[Symbol.asyncDispose]();
  expect(await getUser().catch((error) => error)).toMatchObject({ code: "unavailable" });
  const handlers = { getUser: async () => ({ user }) };
  server = await serveRpc({ listen, log }, (router) => router.add(definition, handlers));
  expect(await eventually(() => getUser())).toMatchObject({ user: { id: 1 } });
});

it("a call whose signal aborts throws the signal's reason, and the server learns of it", async () => {
  let served: AbortSignal | undefined;
  await serve({
    async getUser(_request, { signal }) {
      served = signal;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { user };
    },
  });
  const giveUp = new AbortController();
  const response = getUser(giveUp);
  await eventually(() => expect(served).toBeDefined());
  giveUp.abort(new Error("No longer needed"));
  await expect(response).rejects.toThrow("No longer needed");
  await eventually(() => expect(served!.aborted).toBe(true));
  await expect(getUser(giveUp)).rejects.toThrow("No longer needed");
});

it("a call that has ended leaves no listener at its signal", async () => {
  await serve({ getUser: async () => ({ user }) });
  const { signal } = new AbortController();
  for (let n = 0; n < 3; n++) await getUser({ signal });
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});
