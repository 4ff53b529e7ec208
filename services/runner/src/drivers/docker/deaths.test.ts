import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Docker from "dockerode";
import { watchDeaths } from "./deaths.js";

const death = `${JSON.stringify({ Action: "die", Actor: { ID: "one", Attributes: { exitCode: "3" } } })}\n`;

test.each([
  ["in the middle of a line", death.slice(0, 30)],
  ["with an error", '{"message":"no such journal","response":500}\n'],
])("a stream of events that ends %s ends nothing else", async (_, last) => {
  const server = createServer((_request, response) => response.end(death + last));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const engine = new Docker({ protocol: "http", host: "127.0.0.1", port });
    // The second stream comes after the end of the first.
    for (const _stream of [1, 2]) {
      using deaths = await watchDeaths(engine, {});
      expect(await deaths.of("one")).toEqual({ code: 3, killed: false });
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
