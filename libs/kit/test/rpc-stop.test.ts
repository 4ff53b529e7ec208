import { WebhookServiceDefinition } from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { connect, serveRpc } from "@ci/testkit/identities";
import { freePort } from "@ci/testkit/processes";
import { createLog } from "../src/process/log.js";
import { Fault } from "../src/rpc/fault.js";
import { type CallOptions, goneElsewhere } from "../src/rpc/rpc.js";

const { watchEvents } = WebhookServiceDefinition.methods;
const definition = { ...WebhookServiceDefinition, methods: { watchEvents } } as const;

test("a stopping server signals its streams and completes running calls", async () => {
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  async function* untilStopped(_: unknown, { stopping }: CallOptions) {
    yield { position: 1 };
    await new Promise((resolve) => stopping.addEventListener("abort", resolve));
    throw goneElsewhere();
  }
  let begun = false;
  async function getWebhook() {
    begun = true;
    await asked;
    return {};
  }
  const { methods } = WebhookServiceDefinition;
  const both = { ...WebhookServiceDefinition, methods: { getWebhook: methods.getWebhook, watchEvents } } as const;
  const log = createLog("test", "silent");
  const server = await serveRpc({ listen: "127.0.0.1:0", log, graceMs: 60_000 }, (to) =>
    to.add(both, { watchEvents: untilStopped, getWebhook }),
  );
  await using peer = connect(`127.0.0.1:${server.port}`);
  const client = peer.client(both);
  const positions = client.watchEvents({ namespaceId: 1 })[Symbol.asyncIterator]();
  await positions.next();
  const answered = client.getWebhook({ namespaceId: 1, id: 1 });
  await eventually(() => expect(begun).toBe(true));
  const stopped = server[Symbol.asyncDispose]();
  await expect(positions.next()).rejects.toMatchObject({ code: "unavailable", message: "Service unavailable" });
  answer();
  expect(await answered).toEqual({});
  await stopped;
});

test("a call without a replica waits for the next one, and a call that a peer refuses is not repeated", async () => {
  const { getWebhook } = WebhookServiceDefinition.methods;
  const only = { ...WebhookServiceDefinition, methods: { getWebhook } } as const;
  const log = createLog("test", "silent");
  let times = 0;
  const handlers = {
    async getWebhook() {
      if (times++ > 0) throw new Fault("unavailable", "Not today");
      return {};
    },
  };
  const listen = `127.0.0.1:${await freePort()}`;
  const before = await serveRpc({ listen, log }, (to) => to.add(only, handlers));
  await before[Symbol.asyncDispose]();
  await using peer = connect(listen);
  const ask = () => peer.client(only).getWebhook({ namespaceId: 1, id: 1 });
  const answered = ask();
  await using _after = await serveRpc({ listen, log }, (to) => to.add(only, handlers));
  expect(await answered).toEqual({});
  await expect(ask()).rejects.toMatchObject({ code: "unavailable", message: "Not today" });
  expect(times).toBe(2);
});

test("an endless stream does not delay a stopping server", async () => {
  let left = false;
  async function* forEver(_: unknown, { signal }: { signal: AbortSignal }) {
    yield { position: 1 };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    left = true;
  }
  const log = createLog("test", "silent");
  const server = await serveRpc({ listen: "127.0.0.1:0", log, graceMs: 10 }, (to) =>
    to.add(definition, { watchEvents: forEver }),
  );
  await using peer = connect(`127.0.0.1:${server.port}`);
  const positions = peer.client(definition).watchEvents({ namespaceId: 1 })[Symbol.asyncIterator]();
  expect((await positions.next()).value).toMatchObject({ position: 1 });
  const stopped = server[Symbol.asyncDispose]();
  await expect(positions.next()).rejects.toMatchObject({ code: "unavailable" });
  await stopped;
  expect(left).toBe(true);
  // The keepalive would end it too, but after 30 seconds.
}, 25_000);
