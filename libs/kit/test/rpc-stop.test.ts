import { WebhookServiceDefinition } from "@ci/proto/webhooks/v1/webhooks";
import { createLog } from "../src/log.js";
import { connect, serveRpc } from "../src/rpc.js";

const { watchEvents } = WebhookServiceDefinition.methods;
const definition = { ...WebhookServiceDefinition, methods: { watchEvents } } as const;

test("a stream that never ends holds up no server that stops", async () => {
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
}, 15_000);
