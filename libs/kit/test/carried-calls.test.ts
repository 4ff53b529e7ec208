import { once } from "node:events";
import http2 from "node:http2";
import { type AddressInfo, createConnection, createServer as createTcpServer, type Socket } from "node:net";
import { AccountServiceDefinition, type AccountServiceImplementation } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { connect, openedIdentity, serveRpc } from "@ci/testkit/identities";
import { createServer } from "nice-grpc";
import { createLog } from "../src/process/log.js";
import { runAs } from "../src/rpc/caller.js";
import * as rpc from "../src/rpc/connect.js";
import type { Identity } from "../src/rpc/identity.js";
import type { Call } from "../src/rpc/served-call.js";

const { getUser, deleteUser } = AccountServiceDefinition.methods;
const definition = { ...AccountServiceDefinition, methods: { getUser, deleteUser } } as const;
type Handlers = Pick<AccountServiceImplementation<Call>, "getUser" | "deleteUser">;
const user = { id: 1, email: "a@b", username: "a", admin: false, createdAt: new Date(0) };
const usual: Handlers = { getUser: async () => ({ user }), deleteUser: async () => ({}) };

const log = createLog("test", "silent");
const serve = (handlers: Partial<Handlers> = {}, options: { connectionMs?: number; graceMs?: number } = {}) =>
  serveRpc({ listen: "127.0.0.1:0", log, ...options }, (router) => router.add(definition, { ...usual, ...handlers }));

const range = (length: number) => Array.from({ length }, (_, n) => n);
const ask = (peer: rpc.Peer, name = "a", options?: { signal: AbortSignal }) =>
  peer.client(definition).getUser({ by: { $case: "username", value: name } }, options);

test("concurrent calls get their own responses, even large ones", async () => {
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

test("no call fails or is made twice while the server replaces streams and connections", async () => {
  let made = 0;
  let asked = 0;
  const connections = new Set<string>();
  const handlers: Partial<Handlers> = {
    async deleteUser(_, { peer }) {
      connections.add(peer);
      made++;
      return {};
    },
  };
  // Longer than a busy machine takes to open a connection and a stream.
  await using server = await serve(handlers, { connectionMs: 500 });
  await using peer = connect(`127.0.0.1:${server.port}`);
  const client = peer.client(definition);
  // A change is never repeated after a failure, as a read would be.
  const changeMany = async () => {
    for (; connections.size < 10 || asked < 2_400; asked++) await client.deleteUser({ username: "a" });
  };
  await Promise.all(range(8).map(changeMany));
  expect(made).toBe(asked);
});

test("a server with open streams stops at once", async () => {
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

test("a call with impossible metadata fails alone", async () => {
  await using server = await serve();
  const identity = openedIdentity("gateway");
  let spoil = false;
  const spoiling: Identity = {
    ...identity,
    prove(method, metadata) {
      identity.prove(method, metadata);
      if (spoil && !method.path.endsWith("/CarryCalls")) metadata.set("x-broken", "\u{1f525}\n");
    },
  };
  await using peer = rpc.connect(`127.0.0.1:${server.port}`, spoiling);
  const caller = { userId: 1, requestId: "r-1" };
  expect(await runAs(caller, () => ask(peer))).toMatchObject({ user: { id: 1 } });
  spoil = true;
  await expect(runAs(caller, () => ask(peer))).rejects.toMatchObject({ code: "internal" });
  spoil = false;
  expect(await runAs(caller, () => ask(peer))).toMatchObject({ user: { id: 1 } });
});

/** Accepts connections, and holds back what arrives until it may pass to `port`. */
async function holdingProxy(port: number) {
  const held: Socket[] = [];
  const proxy = createTcpServer({ pauseOnConnect: true }, (socket) => held.push(socket)).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    port: (proxy.address() as AddressInfo).port,
    held,
    release() {
      for (const socket of held.splice(0)) socket.pipe(createConnection(port, "127.0.0.1")).pipe(socket);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of held) socket.destroy();
      proxy.close();
    },
  };
}

test("a call that is given up before its server answers at all is never executed", async () => {
  const asked: unknown[] = [];
  await using server = await serve({
    async getUser({ by }) {
      asked.push(by!.value);
      return { user };
    },
  });
  await using proxy = await holdingProxy(server.port);
  await using peer = connect(`127.0.0.1:${proxy.port}`);
  const giveUp = new AbortController();
  const first = ask(peer, "first", giveUp);
  const second = ask(peer, "second");
  await eventually(() => expect(proxy.held).not.toHaveLength(0));
  giveUp.abort(new Error("too late"));
  await expect(first).rejects.toThrow("too late");
  proxy.release();
  await second;
  expect(asked).toEqual(["second"]);
});

test("calls find a replica while another one hangs", async () => {
  // Accepts streams, and says nothing in them.
  const hanging = http2.createServer().listen(0, "127.0.0.1");
  await once(hanging, "listening");
  const { port } = hanging.address() as AddressInfo;
  await using server = await serve();
  // gRPC chooses which of the two is first.
  for (const _ of range(8)) {
    await using peer = connect(`ipv4:127.0.0.1:${port},127.0.0.1:${server.port}`);
    let limitMs = 100;
    await eventually(() => {
      limitMs *= 2;
      return ask(peer, "a", { signal: AbortSignal.timeout(limitMs) });
    });
  }
  hanging.close();
});

/** Passes connections on to `port`, and nothing in them while it is frozen. */
async function freezingProxy(port: number) {
  const pairs: [Socket, Socket][] = [];
  const proxy = createTcpServer((socket) => {
    const target = createConnection(port, "127.0.0.1");
    pairs.push([socket, target]);
    for (const end of [socket, target]) end.on("error", () => end.destroy());
    socket.pipe(target).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    port: (proxy.address() as AddressInfo).port,
    freeze() {
      for (const [socket, target] of pairs) for (const end of [socket, target]) end.unpipe().pause();
    },
    thaw() {
      for (const [socket, target] of pairs) socket.pipe(target).pipe(socket);
    },
    async [Symbol.asyncDispose]() {
      for (const end of pairs.flat()) end.destroy();
      proxy.close();
    },
  };
}

test("reads leave a replica that has become silent for another one, and changes wait for it", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const counted = () => {
    const counts = { reads: 0, slow: 0, changes: 0 };
    const handlers: Handlers = {
      async getUser({ by }) {
        const isSlow = by!.value === "slow";
        counts[isSlow ? "slow" : "reads"]++;
        if (isSlow) await released;
        return { user };
      },
      async deleteUser() {
        counts.changes++;
        return {};
      },
    };
    return { counts, handlers };
  };
  const [first, second] = [counted(), counted()];
  await using firstServer = await serve(first.handlers);
  await using secondServer = await serve(second.handlers);
  await using proxy = await freezingProxy(firstServer.port);
  await using peer = connect(`ipv4:127.0.0.1:${proxy.port},127.0.0.1:${secondServer.port}`);
  const askBoth = async () => {
    const { reads } = first.counts;
    await Promise.all([ask(peer), ask(peer)]);
    expect(first.counts.reads).toBe(reads + 1);
  };
  await eventually(askBoth);
  const slow = [ask(peer, "slow"), ask(peer, "slow")];
  await eventually(() => expect([first.counts.slow, second.counts.slow]).toEqual([1, 1]));
  proxy.freeze();
  const changes = range(2).map(() => peer.client(definition).deleteUser({ username: "a" }));
  // The second replica has been quiet, too, when this arrives there.
  await eventually(() => expect(second.counts.slow).toBe(2));
  const { reads } = first.counts;
  for (const _ of range(20)) await ask(peer);
  expect(first.counts).toEqual({ reads, slow: 1, changes: 0 });
  proxy.thaw();
  await Promise.all(changes);
  await eventually(askBoth);
  release();
  await Promise.all(slow);
  expect(first.counts).toMatchObject({ slow: 1, changes: 1 });
  expect(second.counts).toMatchObject({ slow: 2, changes: 1 });
});
