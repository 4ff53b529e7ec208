import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Reply } from "../src/http/row.js";

/** Opens a stream that `reply` writes, as a client. */
export async function clientOf(reply: Reply) {
  const server = createServer((request, response) => {
    const exchange = { request, response, url: "/", caller: { requestId: "test" } };
    Promise.resolve(reply(exchange, undefined as never)).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = request({ port, host: "127.0.0.1", headers: { Authorization: "Bearer valid" } }).end();
  const [response] = (await once(client, "response")) as [IncomingMessage];
  const received = { text: "", isCutOff: false };
  response.setEncoding("utf8").on("data", (chunk) => {
    received.text += chunk;
  });
  response.on("error", () => {
    received.isCutOff = true;
  });
  return {
    received,
    ended: new Promise((resolve) => response.on("close", resolve)),
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
