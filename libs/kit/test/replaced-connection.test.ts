import { ObjectServiceDefinition, type ObjectServiceImplementation } from "@ci/proto/namespaces/v1/resources";
import { connect, serveRpc } from "@ci/testkit/identities";
import { createLog } from "../src/process/log.js";
import type { Call } from "../src/rpc/served-call.js";

const { uploadObject } = ObjectServiceDefinition.methods;
const definition = { ...ObjectServiceDefinition, methods: { uploadObject } } as const;
type Handlers = Pick<ObjectServiceImplementation<Call>, "uploadObject">;

/** More than gRPC keeps in memory to send it again. */
async function* content(chunks = 40) {
  for (let n = 0; n < chunks; n++) yield { part: { $case: "chunk" as const, value: Buffer.alloc(64 * 1024) } };
}

test("uploads begin and end while the server replaces connections", async () => {
  const sizes: number[] = [];
  let uploads = 0;
  const connections = new Set<string>();
  const handlers: Handlers = {
    async uploadObject(parts, { peer }) {
      connections.add(peer);
      let bytes = 0;
      for await (const { part } of parts) if (part?.$case === "chunk") bytes += part.value.length;
      sizes.push(bytes);
      return {};
    },
  };
  const log = createLog("test", "silent");
  // Longer than a busy machine takes to open a connection and a stream.
  const options = { listen: "127.0.0.1:0", log, connectionMs: 500 };
  await using server = await serveRpc(options, (router) => router.add(definition, handlers));
  await using peer = connect(`127.0.0.1:${server.port}`);
  const client = peer.client(definition);
  const uploadMany = async () => {
    for (; connections.size < 10; uploads++) await client.uploadObject(content());
  };
  await Promise.all(Array.from({ length: 12 }, uploadMany));
  expect(sizes).toEqual(Array.from({ length: uploads }, () => 40 * 64 * 1024));
});

test("a failed upload ends, and leaves the rest of its content unread", async () => {
  const handlers: Handlers = {
    async uploadObject() {
      throw new Error("full");
    },
  };
  const log = createLog("test", "silent");
  await using server = await serveRpc({ listen: "127.0.0.1:0", log }, (router) => router.add(definition, handlers));
  await using peer = connect(`127.0.0.1:${server.port}`);
  let ended = false;
  async function* endless() {
    try {
      for (;;) yield* content(1);
    } finally {
      ended = true;
    }
  }
  await expect(peer.client(definition).uploadObject(endless())).rejects.toMatchObject({ code: "internal" });
  expect(ended).toBe(true);
});
