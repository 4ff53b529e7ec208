import { createServer } from "node:http";

/** Starts a server that accepts all webhooks. */
export const startListener = async () => {
  const server = createServer((request, response) => request.resume().once("end", () => response.writeHead(204).end()));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { address: `127.0.0.1:${port}`, stop: () => server.close() && server.closeAllConnections() };
};
