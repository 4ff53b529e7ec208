import { WebhookServiceDefinition } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { connect, serveRpc } from "@ci/testkit/identities";
import { freePort } from "@ci/testkit/ports";
import { createLog } from "../src/process/log.js";
import { Fault } from "../src/rpc/fault.js";
import { type CallOptions, goneElsewhere } from "../src/rpc/served-call.js";

const { watchEvents } = WebhookServiceDefinition.methods;
const definition = { ...WebhookServiceDefinition, methods: { watchEvents } } as const;

test("a stopping server aborts its streams and completes running calls", async () => {
  let answerCall = () => {};
  const answerReleased = new Promise<void>((resolve) => {
    answerCall = resolve;
  });
  async function* untilStopped(_: unknown, { stopping }: CallOptions) {
    yield { position: 1 };
    await new Promise((resolve) => stopping.addEventListener("abort", resolve));
    throw goneElsewhere();
  }
  let started = false;
  async function getWebhook() {
    started = true;
    await answerReleased;
    return {};
  }
  const { methods } = WebhookServiceDefinition;
  const twoMethods = { ...WebhookServiceDefinition, methods: { getWebhook: methods.getWebhook, watchEvents } } as const;
  const log = createLog("test", "silent");
  const server = await serveRpc({ listen: "127.0.0.1:0", log, graceMs: 60_000 }, (router) =>
    router.add(twoMethods, { watchEvents: untilStopped, getWebhook }),
  );
  await using peer = connect(`127.0.0.1:${server.port}`);
  const client = peer.client(twoMethods);
  const positions = client.watchEvents({ namespaceId: 1 })[Symbol.asyncIterator]();
  await positions.next();
  const response = client.getWebhook({ namespaceId: 1, id: 1 });
  await eventually(() => expect(started).toBe(true));
  const stopped = server[Symbol.asyncDispose]();
  await expect(positions.next()).rejects.toMatchObject({ code: "unavailable", message: "Service unavailable" });
  answerCall();
  expect(await response).toEqual({});
  await stopped;
});

test("a call without a replica waits for the next one; a call that fails in a replica is not repeated", async () => {
  const { getWebhook } = WebhookServiceDefinition.methods;
  const oneMethod = { ...WebhookServiceDefinition, methods: { getWebhook } } as const;
  const log = createLog("test", "silent");
  let calls = 0;
  const handlers = {
    async getWebhook() {
      if (calls++ > 0) throw new Fault("unavailable", "Not today");
      return {};
    },
  };
  const listen = `127.0.0.1:${await freePort()}`;
  const serve = () => serveRpc({ listen, log }, (router) => router.add(oneMethod, handlers));
  const oldServer = await serve();
  await oldServer[Symbol.asyncDispose]();
  // On a machine that stalls, a new server may come too late for a call.
  await eventually(async () => {
    calls = 0;
    await using peer = connect(listen);
    const call = () => peer.client(oneMethod).getWebhook({ namespaceId: 1, id: 1 });
    const response = Promise.allSettled([call()]);
    // Streams do not wait, so this one shows that the peer has met no server.
    const stream = peer.client(definition).watchEvents({ namespaceId: 1 })[Symbol.asyncIterator]();
    await expect(stream.next()).rejects.toMatchObject({ code: "unavailable" });
    await using _newServer = await serve();
    expect(await response).toEqual([{ status: "fulfilled", value: {} }]);
    await expect(call()).rejects.toMatchObject({ code: "unavailable", message: "Not today" });
    expect(calls).toBe(2);
  });
});

/** Stops a server while a stream runs that ends with its connection only. Returns how the client sees that. */
async function stopAbruptly(graceMs: number): Promise<unknown> {
  let ended = false;
  async function* endless(_: unknown, { signal }: { signal: AbortSignal }) {
    yield { position: 1 };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    ended = true;
  }
  const log = createLog("test", "silent");
  const server = await serveRpc({ listen: "127.0.0.1:0", log, graceMs }, (router) =>
    router.add(definition, { watchEvents: endless }),
  );
  await using peer = connect(`127.0.0.1:${server.port}`);
  // On a machine that stalls, the connection may be late. Streams do not wait for it.
  const positions = await eventually(async () => {
    const opened = peer.client(definition).watchEvents({ namespaceId: 1 })[Symbol.asyncIterator]();
    expect((await opened.next()).value).toMatchObject({ position: 1 });
    return opened;
  });
  const stopped = server[Symbol.asyncDispose]();
  const failure = await positions.next().catch((error: unknown) => error);
  await stopped;
  // On Node.js 24 and later, the server hears of it a moment after the client.
  await eventually(() => expect(ended).toBe(true));
  return failure;
}

// What the connection carries last differs from time to time.
test.each(Array.from({ length: 30 }, (_, graceMs) => graceMs))(
  "an endless stream does not delay a stopping server, which the client finds unavailable, after %i ms",
  async (graceMs) => {
    expect(await stopAbruptly(graceMs)).toMatchObject({ code: "unavailable", message: "Service unavailable" });
  },
  // The keepalive would end the stream too, but only after 30 seconds.
  25_000,
);
