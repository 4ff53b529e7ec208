import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, type Receiver, receiver } from "@ci/testkit/receiver";

/** What a server may call an image. */
export const type = { "Content-Type": "application/x-qemu-disk" };

/** A server that gives these answers one after another, the last one for ever. */
export const serving = (...answers: Answer[]): Promise<Receiver> => {
  let next = 0;
  return receiver({ answer: () => answers[Math.min(next++, answers.length - 1)]! });
};

/** A server that answers as it likes, a piece at a time; `open` says how many connections it has. */
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

/** A server that sends this as half of an image and then nothing more. */
export const half = (content: Buffer) =>
  aServer((_, response) => {
    response.writeHead(200, { ...type, "Content-Length": 2 * content.length });
    response.write(content);
  });
