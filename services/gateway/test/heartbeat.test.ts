import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { createLog } from "@ci/kit/process/log";
import { BuildServiceDefinition } from "@ci/proto/builds/v1/builds";
import { EncodedBuildServiceDefinition } from "@ci/proto/encoded-builds";
import { connect, serveRpc } from "@ci/testkit/identities";
import { openStreams } from "../src/stream/open-streams.js";
import { outputStream } from "../src/stream/output.js";
import { failingMethods } from "./_peers.js";

test("a quiet stream sends heartbeats", async () => {
  async function* watchOutput(_: unknown, { signal }: { signal: AbortSignal }) {
    yield { item: undefined };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }
  const log = createLog("test", "silent");
  await using rpc = await serveRpc({ listen: "127.0.0.1:0", log }, (server) => {
    server.add(BuildServiceDefinition, { ...failingMethods(BuildServiceDefinition), watchOutput } as never);
  });
  await using peer = connect(`127.0.0.1:${rpc.port}`);
  const builds = peer.client(EncodedBuildServiceDefinition);
  const reply = outputStream(
    {
      builds,
      openStreams: openStreams({ streamsPerUser: 0, trustedProxies: [] }),
      signal: new AbortController().signal,
      sessions: { of: async () => ({}) } as never,
      config: {} as never,
    },
    { ref: { userId: 1, number: 1 } },
    20,
  );
  const server = createServer((request, response) => {
    const exchange = { request, response, url: "/", caller: { requestId: "test" } };
    Promise.resolve(reply(exchange, undefined as never)).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = request({ port, host: "127.0.0.1", headers: { Authorization: "Bearer valid" } }).end();
  const [response] = await once(client, "response");
  let heartbeats = "";
  for await (const chunk of response) {
    heartbeats += chunk;
    if (heartbeats.length >= 9) break;
  }
  // Several heartbeats may arrive in one chunk.
  expect(heartbeats).toMatch(/^(:\n\n){3,}$/);
  server.close();
  server.closeAllConnections();
});
