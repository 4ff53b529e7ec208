import { ObjectServiceDefinition, type ObjectServiceImplementation } from "@ci/proto/namespaces/v1/resources";
import { eventually } from "@ci/testkit/eventually";
import { connect, serveRpc } from "@ci/testkit/identities";
import { createLog } from "../src/process/log.js";
import type { Call } from "../src/rpc/served-call.js";

const { uploadObject } = ObjectServiceDefinition.methods;
const definition = { ...ObjectServiceDefinition, methods: { uploadObject } } as const;
type Handlers = Pick<ObjectServiceImplementation<Call>, "uploadObject">;

const pastKeepaliveMs = 35_000;
const chunk = { part: { $case: "chunk" as const, value: Buffer.alloc(1024) } };

async function* slowContent() {
  const from = performance.now();
  yield chunk;
  await eventually(() => expect(performance.now() - from).toBeGreaterThan(pastKeepaliveMs));
  yield chunk;
}

test("an upload goes on past the next keepalive after its connection was replaced", async () => {
  const received: number[] = [];
  const handlers: Handlers = {
    async uploadObject(parts) {
      let bytes = 0;
      for await (const { part } of parts) if (part?.$case === "chunk") bytes += part.value.length;
      received.push(bytes);
      return {};
    },
  };
  const options = { listen: "127.0.0.1:0", log: createLog("test", "silent"), connectionMs: 1_000 };
  await using server = await serveRpc(options, (router) => router.add(definition, handlers));
  await using peer = connect(`127.0.0.1:${server.port}`);
  await peer.client(definition).uploadObject(slowContent());
  expect(received).toEqual([2048]);
});
