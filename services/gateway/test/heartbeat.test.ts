import { createLog } from "@ci/kit/process/log";
import { BuildServiceDefinition } from "@ci/proto/builds/v1/builds";
import { EncodedBuildServiceDefinition } from "@ci/proto/encoded-builds";
import { eventually } from "@ci/testkit/eventually";
import { connect, serveRpc } from "@ci/testkit/identities";
import { openStreams } from "../src/limits/open-streams.js";
import { outputStream } from "../src/stream/output.js";
import { failingMethods } from "./_peers.js";
import { clientOf } from "./_stream-client.js";

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
  using client = await clientOf(reply);
  await eventually(() => expect(client.received.text).toMatch(/^(:\n\n){3,}$/));
});
