import { setInterval as every } from "node:timers/promises";
import { createLog } from "@ci/kit/process/log";
import { Fault } from "@ci/kit/rpc/fault";
import {
  type WatchOwnEventsRequest,
  type WatchOwnEventsResponse,
  WebhookServiceDefinition,
} from "@ci/proto/webhooks/v1/webhooks";
import { eventually } from "@ci/testkit/eventually";
import { connect, serveRpc } from "@ci/testkit/identities";
import type { Context } from "../src/context.js";
import type { Reply } from "../src/http/row.js";
import { openStreams } from "../src/limits/open-streams.js";
import { watchOwnEvents } from "../src/routes/events.js";
import { type Sse, sendEvents } from "../src/stream/sse.js";
import { failingMethods } from "./_peers.js";
import { clientOf } from "./_stream-client.js";

type Watch = (request: WatchOwnEventsRequest) => AsyncIterable<WatchOwnEventsResponse>;

/** Opens a stream of a user's events through a gateway with a scripted webhooks service. */
async function streamFrom(watchOwn: Watch) {
  const rpc = await serveRpc({ listen: "127.0.0.1:0", log: createLog("test", "silent") }, (server) => {
    const methods = { ...failingMethods(WebhookServiceDefinition), watchOwnEvents: watchOwn };
    server.add(WebhookServiceDefinition, methods as never);
  });
  const peer = connect(`127.0.0.1:${rpc.port}`);
  const ctx = {
    webhooks: peer.client(WebhookServiceDefinition),
    openStreams: openStreams({ streamsPerUser: 0, trustedProxies: [] }),
    signal: new AbortController().signal,
    sessions: { of: async () => ({}) },
    config: {},
  } as unknown as Context;
  const client = await clientOf((await watchOwnEvents.run(ctx, undefined as never)) as Reply);
  return {
    ...client,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await peer[Symbol.asyncDispose]();
      await rpc[Symbol.asyncDispose]();
    },
  };
}

const piece = (payload: string, more: boolean) => ({ position: 2, event: { kind: "build.started", payload, more } });
const begun = 'id: 1\n\nevent: build.started\nid: 2\ndata: {"a":';

test("each piece of an event reaches the client before the next one exists", async () => {
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  const requests: WatchOwnEventsRequest[] = [];
  await using stream = await streamFrom(async function* (request) {
    requests.push(request);
    yield { position: 1 };
    yield piece('{"a":', true);
    await arrival;
    yield piece('"b",', true);
    yield piece('"c":1}', false);
    yield { position: 3, event: { kind: "build.finished", payload: "{}", more: false } };
  });
  await eventually(() => expect(stream.received.text).toBe(begun));
  arrived();
  await stream.ended;
  expect(stream.received.text).toBe(`${begun}"b","c":1}\n\nevent: build.finished\nid: 3\ndata: {}\n\n`);
  expect(requests).toMatchObject([{ acceptsPieces: true }]);
});

test("a stream that breaks within an event is cut off, and is resumed if it breaks between two events", async () => {
  const from: (number | undefined)[] = [];
  await using stream = await streamFrom(async function* ({ after }) {
    from.push(after);
    yield { position: 1 };
    if (from.length === 2) yield piece('{"a":', true);
    throw new Fault("unavailable", "Service unavailable");
  });
  await stream.ended;
  expect(stream.received).toEqual({ text: `id: 1\n\n${begun}`, isCutOff: true });
  expect(from).toEqual([undefined, 1]);
});

test("no heartbeat is sent within an event", async () => {
  async function* batches(): AsyncGenerator<readonly Sse[]> {
    yield [{ event: "build.started", id: 1, data: "{", more: true }];
    let ticks = 0;
    for await (const _ of every(1)) if (++ticks === 20) break;
    yield [{ data: "}", rest: true }];
  }
  const { signal } = new AbortController();
  using client = await clientOf((exchange) => sendEvents(exchange, batches(), { signal, stopping: signal }, 1));
  await client.ended;
  expect(client.received.text.replaceAll(":\n\n", "")).toBe("event: build.started\nid: 1\ndata: {}\n\n");
  expect(client.received.text).toContain("data: {}\n\n");
});
