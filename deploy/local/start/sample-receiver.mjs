// Receives the sample's webhook and checks the signature of every event.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { waitFor } from "../provision/machine.mjs";

const path = "/npm-start";

/** Reports whether a webhook points to a receiver of this start or an earlier one. @param {string} url */
export const isReceiver = (url) => url.startsWith("http://127.0.0.1:") && url.endsWith(path);

/**
 * `received` are the events with a valid signature; `rejected` counts the other requests.
 * @typedef {{ url: string, address: string, headers: { event: string, signature: string },
 *   received: { kind: string, payload: any }[], rejected: number, stop: () => void }} Receiver
 */

/**
 * Starts the receiver on a free port of 127.0.0.1.
 * @param {string} secret the webhook's secret
 * @param {string} prefix of the webhook's headers
 * @returns {Promise<Receiver>}
 */
export const startReceiver = async (secret, prefix = "X-Service-CI") => {
  const headers = { event: `${prefix}-Event`, signature: `${prefix}-Signature` };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const header = (/** @type {string} */ name) => String(request.headers[name.toLowerCase()] ?? "");
    const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
    const given = Buffer.from(header(headers.signature));
    const verified = given.length === expected.length && timingSafeEqual(given, expected);
    response.writeHead(verified ? 204 : 400).end();
    if (verified) receiver.received.push({ kind: header(headers.event), payload: JSON.parse(body.toString()) });
    else receiver.rejected++;
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("The receiver has no port.");
  const address = `127.0.0.1:${bound.port}`;
  const stop = () => server.close() && server.closeAllConnections();
  /** @type {Receiver} */
  const receiver = { url: `http://${address}${path}`, address, headers, received: [], rejected: 0, stop };
  return receiver;
};

const wanted = ["build.submitted", "build.started", "build.finished"];

/**
 * Waits for the three events of a build.
 * @param {Receiver} receiver
 * @param {{ url: string }} build
 * @param {number} withinMs
 * @returns {Promise<{ line: string, failed: boolean }>}
 */
export const webhookOutcome = async (receiver, build, withinMs) => {
  const arrived = () =>
    wanted.filter((kind) => receiver.received.some((one) => one.kind === kind && one.payload.url === build.url));
  if (await waitFor(() => arrived().length === wanted.length, { withinMs }))
    return { line: `${wanted.join(", ")} received, each signature verified`, failed: false };
  const missing = wanted.filter((kind) => !arrived().includes(kind)).join(", ");
  const came = arrived().length > 0 ? `; ${arrived().join(", ")} did` : "";
  const rejected =
    receiver.rejected > 0 ? `; ${receiver.rejected} requests had no valid ${receiver.headers.signature}` : "";
  return { line: `${missing} did not come within ${withinMs / 1_000} s${came}${rejected}`, failed: true };
};
