import { AccountServiceDefinition, type AccountServiceImplementation } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { connect, openedIdentity, serveRpc } from "@ci/testkit/identities";
import { createServer } from "nice-grpc";
import { createLog } from "../src/process/log.js";
import * as rpc from "../src/rpc/connect.js";
import type { Call } from "../src/rpc/served-call.js";

const { getUser, listUsers } = AccountServiceDefinition.methods;
const definition = { ...AccountServiceDefinition, methods: { getUser, listUsers } } as const;
type Handlers = Pick<AccountServiceImplementation<Call>, "getUser" | "listUsers">;
const user = { id: 1, email: "a@b", username: "a", admin: false, createdAt: new Date(0) };
const usual: Handlers = { getUser: async () => ({ user }), listUsers: async () => ({ users: [user] }) };

const log = createLog("test", "silent");
const serve = (handlers: Partial<Handlers> = {}, options: { connectionMs?: number; graceMs?: number } = {}) =>
  serveRpc({ listen: "127.0.0.1:0", log, ...options }, (router) => router.add(definition, { ...usual, ...handlers }));

const range = (length: number) => Array.from({ length }, (_, n) => n);
const ask = (peer: rpc.Peer, name = "a") => peer.client(definition).getUser({ by: { $case: "username", value: name } });

test("calls at the same time get their own responses, also if these are large", async () => {
  const calls = 40;
  let arrived = 0;
  let answer = () => {};
  const together = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await using server = await serve({
    async getUser({ by }) {
      if (++arrived === calls) answer();
      await together;
      // Together more than one message may have.
      return { user: { ...user, id: Number(by!.value), username: "x".repeat(2 * 1024 * 1024) } };
    },
  });
  await using peer = connect(`127.0.0.1:${server.port}`);
  const answers = await Promise.all(range(calls).map((n) => ask(peer, String(n))));
  expect(answers.map(({ user }) => user!.id)).toEqual(range(calls));
});

test("a large request is answered too", async () => {
  await using server = await serve({
    getUser: async ({ by }) => ({ user: { ...user, id: String(by!.value).length } }),
  });
  await using peer = connect(`127.0.0.1:${server.port}`);
  const lengths = [10, 300_000, 3_000_000];
  const answers = await Promise.all(lengths.map((length) => ask(peer, "x".repeat(length))));
  expect(answers.map(({ user }) => user!.id)).toEqual(lengths);
});

test("no call fails while the server replaces streams and connections", async () => {
  await using server = await serve({}, { connectionMs: 20 });
  await using peer = connect(`127.0.0.1:${server.port}`);
  const askMany = async () => {
    for (const _ of range(300)) expect(await ask(peer)).toMatchObject({ user: { id: 1 } });
  };
  await Promise.all(range(8).map(askMany));
});

test("a server stops at once though clients could still call", async () => {
  const server = await serve({}, { graceMs: 60_000 });
  await using peer = connect(`127.0.0.1:${server.port}`);
  for (const _ of range(20)) await ask(peer);
  await server[Symbol.asyncDispose]();
  // The keepalive would end the stream too, but only after 30 seconds.
}, 25_000);

test("a server of an earlier version gets each call with a stream of its own", async () => {
  const earlier = createServer();
  earlier.add(definition, usual as never);
  const port = await earlier.listen("127.0.0.1:0");
  await using peer = rpc.connect(`127.0.0.1:${port}`, openedIdentity("gateway"));
  expect(await Promise.all(range(3).map(() => ask(peer)))).toHaveLength(3);
  expect(await ask(peer)).toMatchObject({ user: { id: 1 } });
  earlier.forceShutdown();
});

test("replicas share the calls, and the others take those of a lost one", async () => {
  const counts = [0, 0, 0];
  const servers = await Promise.all(
    counts.map((_, replica) =>
      serve({
        async getUser() {
          counts[replica]!++;
          return { user };
        },
      }),
    ),
  );
  await using peer = connect(`ipv4:${servers.map(({ port }) => `127.0.0.1:${port}`).join()}`);
  const askMany = async () => {
    for (const _ of range(90)) await ask(peer);
  };
  /** Asks until these replicas share the calls. */
  const untilShared = (replicas: readonly number[], share: number) =>
    eventually(async () => {
      const before = [...counts];
      await askMany();
      for (const nth of replicas) expect(counts[nth]! - before[nth]!).toBeGreaterThanOrEqual(share);
    });
  await untilShared([0, 1, 2], 25);
  await servers[0]![Symbol.asyncDispose]();
  const [lost] = counts;
  await untilShared([1, 2], 40);
  expect(counts[0]).toBe(lost);
  for (const server of servers.slice(1)) await server[Symbol.asyncDispose]();
});
