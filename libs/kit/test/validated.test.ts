import { AccountServiceDefinition, type AccountServiceImplementation } from "@ci/proto/namespaces/v1/accounts";
import { connect, serveRpc } from "@ci/testkit/identities";
import { createLog } from "../src/process/log.js";
import type { Call } from "../src/rpc/served-call.js";
import { carryOut, complain, type Validation, validated } from "../src/rpc/validated.js";

const log = createLog("test", "silent");
const user = { id: 1, email: "a@b", username: "a", admin: false, createdAt: new Date(0) };
const request = { username: "a", email: "a@b", admin: false };
const { methods } = AccountServiceDefinition;
/** The methods that these tests need. */
const definition = {
  ...AccountServiceDefinition,
  methods: { getUser: methods.getUser, createUser: methods.createUser },
} as const;
type Handlers = Pick<AccountServiceImplementation<Call>, "getUser" | "createUser">;
const getUser: Handlers["getUser"] = async () => ({ user });

const stopped: AsyncDisposable[] = [];
afterEach(async () => {
  for (const part of stopped.splice(0).reverse()) await part[Symbol.asyncDispose]();
});

/** Serves both methods; returns a usual client and one whose calls may change nothing. */
async function serve(createUser: Handlers["createUser"]) {
  const server = await serveRpc({ listen: "127.0.0.1:0", log }, (server) =>
    server.add(definition, { createUser, getUser }),
  );
  const peer = connect(`127.0.0.1:${server.port}`);
  stopped.push(server, peer);
  return { usual: peer.client(definition), validating: peer.validating.client(definition) };
}

/** Returns a validated handler with these complaints, and the number of its changes. */
function countingHandler(complaints: Validation<unknown>["complaints"]) {
  const counts = { changes: 0 };
  const change = async () => {
    counts.changes++;
    return { user };
  };
  const handler: Handlers["createUser"] = validated(async () => ({ complaints, change }));
  return { counts, handler };
}

const complaints = { username: ["a", "b"], email: [], admin: ["c"] };
const complained = { code: "invalid", fields: { username: ["a", "b"], admin: ["c"] } };
const nothingElse = { code: "invalid", fields: {} };

test("a handler without validation does not run in a call that may change nothing", async () => {
  let runs = 0;
  const { usual, validating } = await serve(async () => {
    runs++;
    return { user };
  });
  await expect(validating.createUser(request)).rejects.toMatchObject(nothingElse);
  expect(runs).toBe(0);
  await usual.createUser(request);
  expect(runs).toBe(1);
});

test("a validated handler returns its complaints and changes nothing", async () => {
  const { counts, handler } = countingHandler(complaints);
  const { usual, validating } = await serve(handler);
  await expect(validating.createUser(request)).rejects.toMatchObject(complained);
  await expect(usual.createUser(request)).rejects.toMatchObject(complained);
  expect(counts.changes).toBe(0);
});

test("a valid request changes something only in a call that may", async () => {
  const { counts, handler } = countingHandler({ username: [] });
  const { usual, validating } = await serve(handler);
  await expect(validating.createUser(request)).rejects.toMatchObject(nothingElse);
  expect(counts.changes).toBe(0);
  await usual.createUser(request);
  expect(counts.changes).toBe(1);
});

test("a client that only validates reads as usual", async () => {
  const { validating } = await serve(countingHandler({}).handler);
  expect((await validating.getUser({})).user).toMatchObject({ username: "a" });
});

test("a call that a service makes while it validates may change something", async () => {
  const { counts, handler } = countingHandler({});
  const behind = await serve(handler);
  const { validating } = await serve(
    validated(async () => {
      await behind.usual.createUser(request);
      return { complaints, change: async () => ({ user }) };
    }),
  );
  await expect(validating.createUser(request)).rejects.toMatchObject(complained);
  expect(counts.changes).toBe(1);
});

test("outside a call, a request with complaints is refused and a valid one is carried out", async () => {
  const change = async () => "done";
  await expect(carryOut({ complaints, change })).rejects.toMatchObject(complained);
  expect(await carryOut({ complaints: { username: [] }, change })).toBe("done");
});

test("complaints are thrown together, without fields that are valid", () => {
  expect(() => complain(complaints)).toThrow(expect.objectContaining(complained));
  expect(() => complain({ username: [] })).not.toThrow();
});
