import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, type Receiver, receiver } from "@ci/testkit/receiver";

/** A content type that is accepted for images. */
export const type = { "Content-Type": "application/x-qemu-disk" };

/** Starts a server that sends these responses one after another and repeats the last one. */
export const serving = (...responses: Answer[]): Promise<Receiver> => {
  let next = 0;
  return receiver({ answer: () => responses[Math.min(next++, responses.length - 1)]! });
};

/** Starts an HTTP server with any behaviour. */
export async function aServer(respond: RequestListener) {
  const server = createServer(respond).listen(0, "127.0.0.1");
  await once(server, "listening");
  let connections = 0;
  server.on("connection", (socket) => {
    connections++;
    socket.on("close", () => connections--);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/disk`,
    /** Returns the number of open connections. */
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Starts a server that sends this as the first half of an image and then stalls. */
export const stallingServer = (content: Buffer) =>
  aServer((_, response) => {
    response.writeHead(200, { ...type, "Content-Length": 2 * content.length });
    response.write(content);
  });
