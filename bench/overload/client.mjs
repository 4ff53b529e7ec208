// A client with many connections.
import { Agent, request } from "undici";

/**
 * @typedef {{ status: number, retryAfter: string | null, json: any }} Response
 * @typedef {ReturnType<typeof clientOf>} Client
 */

/** How long a client waits for a response. */
const patienceMs = 60_000;

/** @param {string} url @param {string} token */
export const clientOf = (url, token) => {
  const agent = new Agent({ connections: null, headersTimeout: patienceMs, bodyTimeout: 5 * patienceMs });
  const authorization = { Authorization: `Bearer ${token}` };
  /**
   * Opens a response without reading it.
   * @param {"GET" | "POST"} method
   * @param {string} path a path, or a URL from a response
   * @param {string | Buffer} [body]
   * @param {Record<string, string>} [headers]
   */
  const open = (method, path, body, headers = {}) =>
    request(path.startsWith(url) ? path : `${url}${path}`, {
      dispatcher: agent,
      method,
      body,
      headers: { ...authorization, ...headers },
    });
  /** @param {Parameters<typeof open>} args @returns {Promise<Response>} */
  const send = async (...args) => {
    const { statusCode, headers, body } = await open(...args);
    const text = await body.text();
    const isJson = `${headers["content-type"]}`.startsWith("application/json");
    const retryAfter = headers["retry-after"];
    return {
      status: statusCode,
      retryAfter: retryAfter === undefined ? null : String(retryAfter),
      json: isJson ? JSON.parse(text) : text,
    };
  };
  return {
    token,
    open,
    send,
    get: (/** @type {string} */ path) => send("GET", path),
    post: (/** @type {string} */ path, /** @type {unknown} */ json) =>
      send("POST", path, JSON.stringify(json), { "Content-Type": "application/json" }),
    close: () => agent.destroy(),
  };
};

/**
 * Repeats `work` in so many loops until the time is over.
 * @param {number} loops
 * @param {number} ms
 * @param {(loop: number) => Promise<unknown>} work
 */
export const repeat = async (loops, ms, work) => {
  const endsAt = performance.now() + ms;
  const loop = async (/** @type {number} */ nth) => {
    while (performance.now() < endsAt) await work(nth);
  };
  await Promise.all(Array.from({ length: loops }, (_, nth) => loop(nth)));
};

/** Returns the record that was created, or throws. @param {Response} response */
export const created = ({ status, json }) => {
  if (status !== 201) throw new Error(`Not created, but ${status}: ${JSON.stringify(json)}`);
  return json;
};
