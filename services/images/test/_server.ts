import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, type Receiver, receiver } from "@ci/testkit/receiver";

/** A content type that is accepted for images. */
export const type = { "Content-Type": "application/x-qemu-disk" };

/** Gives these responses one after another; the last one repeats. */
export const serving = (...answers: Answer[]): Promise<Receiver> => {
  let next = 0;
  return receiver({ answer: () => answers[Math.min(next++, answers.length - 1)]! });
};

/** An HTTP server with any behaviour; `open` returns its number of connections. */
export async function aServer(answer: RequestListener) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  let open = 0;
  server.on("connection", (socket) => {
    open++;
    socket.on("close", () => open--);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/disk`,
    open: () => open,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Sends this as the first half of an image and then stalls. */
export const half = (content: Buffer) =>
  aServer((_, response) => {
    response.writeHead(200, { ...type, "Content-Length": 2 * content.length });
    response.write(content);
  });
