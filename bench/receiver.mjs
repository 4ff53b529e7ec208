// Receives POSTs in a separate process and reports what arrived: when, in which order, with which signatures.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { quantile } from "./statistics.mjs";

/** Verifies the signatures of one request in this many. */
const sampleEvery = 20;

/** @typedef {{ path: string, atMs: number, headers: import("node:http").IncomingHttpHeaders, body: Buffer }} Received */
/**
 * `duplicated` counts repeated events, `disordered` those that arrived after a later event of the same webhook.
 * @typedef {{ count: number, lastMs: number, duplicated: number, disordered: number, verified: number, invalid: number,
 *   p50Ms: number, p95Ms: number }} Account
 */

/** @type {Received[]} */
let received = [];
/** @type {{ count: number, secret: string } | undefined} */
let wanted;

/**
 * @param {Received} request
 * @param {string} secret
 */
const isValid = ({ headers, body }, secret) => {
  const digest = (/** @type {string | Buffer} */ signed) => createHmac("sha256", secret).update(signed);
  const { "webhook-id": id, "webhook-timestamp": seconds } = headers;
  return (
    headers["x-service-ci-signature"] === `sha256=${digest(body).digest("hex")}` &&
    headers["webhook-signature"] === `v1,${digest(`${id}.${seconds}.${body}`).digest("base64")}`
  );
};

/**
 * @param {string} secret
 * @returns {Account}
 */
const account = (secret) => {
  /** @type {Map<string, number>} */
  const lastNumbers = new Map();
  const distinct = new Set();
  const latenciesMs = [];
  let [disordered, verified] = [0, 0];
  for (const { path, atMs, body } of received) {
    const { number, created_at } = JSON.parse(body.toString());
    if (number < (lastNumbers.get(path) ?? 0)) disordered++;
    lastNumbers.set(path, number);
    distinct.add(`${path} ${number}`);
    latenciesMs.push(atMs - Date.parse(created_at));
  }
  const sample = received.filter((_, nth) => nth % sampleEvery === 0);
  for (const request of sample) if (isValid(request, secret)) verified++;
  const [p50Ms, p95Ms] = [quantile(latenciesMs, 0.5), quantile(latenciesMs, 0.95)];
  const lastMs = received.at(-1)?.atMs ?? 0;
  const duplicated = received.length - distinct.size;
  return {
    count: distinct.size,
    lastMs,
    duplicated,
    disordered,
    verified,
    invalid: sample.length - verified,
    p50Ms,
    p95Ms,
  };
};

const reportIfComplete = () => {
  if (!wanted || received.length < wanted.count) return;
  const { secret } = wanted;
  wanted = undefined;
  process.send?.({ account: account(secret) });
};

const server = createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    response.writeHead(204).end();
    if (request.url === "/bare") return;
    const { url: path = "", headers } = request;
    received.push({ path, atMs: Date.now(), headers, body: Buffer.concat(chunks) });
    reportIfComplete();
  });
});
process.on("message", (/** @type {{ count: number, secret: string } | "now"} */ message) => {
  if (message === "now") wanted = wanted && { ...wanted, count: 0 };
  else {
    received = [];
    wanted = message;
  }
  reportIfComplete();
});
process.once("disconnect", () => process.exit());
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" ? address?.port : undefined });
});
