import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Docker from "dockerode";
import { watchDeaths } from "./deaths.js";

const death = `${JSON.stringify({ Action: "die", Actor: { ID: "one", Attributes: { exitCode: "3" } } })}\n`;

test("a stream of events that ends in the middle of a line ends nothing else", async () => {
  const server = createServer((_request, response) => response.end(death + death.slice(0, 30)));
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
