// Where the sample's webhook points to: it checks the signature of every event and prints a line.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

/**
 * Starts the receiver on a free port of 127.0.0.1.
 * @param {string} secret the webhook's secret
 * @param {(kind: string, verified: boolean, payload: any) => void} hear
 * @returns {Promise<{ url: string, address: string, stop: () => void }>}
 */
export const startReceiver = async (secret, hear) => {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
    const given = Buffer.from(String(request.headers["x-service-ci-signature"] ?? ""));
    const verified = given.length === expected.length && timingSafeEqual(given, expected);
    response.writeHead(verified ? 204 : 400).end();
    if (verified) hear(String(request.headers["x-service-ci-event"]), verified, JSON.parse(body.toString()));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The receiver has no port.");
  const at = `127.0.0.1:${address.port}`;
  return { url: `http://${at}/`, address: at, stop: () => server.close() && server.closeAllConnections() };
};
