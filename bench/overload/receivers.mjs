// Receivers of webhooks: one that responds at once, and one that never does.
import { once } from "node:events";
import { createServer } from "node:http";

/** @param {import("node:http").RequestListener} listener */
const listen = async (listener) => {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
};

/** Calls `received` with the path and the body of each delivery. @param {(path: string, body: any) => void} received */
export const startReceiver = (received) =>
  listen(async (request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(204).end();
    received(request.url ?? "", JSON.parse(Buffer.concat(chunks).toString()));
  });

export const startHanging = () => listen((request) => void request.resume());
