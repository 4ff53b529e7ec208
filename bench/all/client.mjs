import { Pool } from "undici";

/** @typedef {ReturnType<typeof clientOf>} Client */

/** Returns a client that keeps its connections. It shares the processor with what it measures, so it does little. @param {string} url @param {string} [token] */
export const clientOf = (url, token) => {
  const pool = new Pool(url, { connections: 64 });
  const authorization = token ? { authorization: `Bearer ${token}` } : {};

  /**
   * Sends a request and calls `onData` with each part of the body. Rejects unless the status is 2xx.
   * @param {"GET" | "POST"} method
   * @param {string} path
   * @param {{ json?: unknown, accept?: string, onData?: (part: Buffer) => void }} [options]
   * @returns {Promise<void>}
   */
  const exchange = (method, path, { json, accept, onData } = {}) =>
    new Promise((resolve, reject) => {
      let status = 0;
      let refusal = "";
      const body = json === undefined ? undefined : JSON.stringify(json);
      const headers = {
        ...authorization,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(accept ? { accept } : {}),
      };
      pool.dispatch(
        { method, path, headers, body },
        {
          onRequestStart() {},
          onResponseStart(_controller, statusCode) {
            status = statusCode;
          },
          onResponseData(_controller, part) {
            if (status >= 300) refusal += part;
            else onData?.(part);
          },
          onResponseEnd() {
            if (status >= 300) reject(new Error(`${method} ${path}: ${status} ${refusal}`));
            else resolve();
          },
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });

  /** @param {"GET" | "POST"} method @param {string} path @param {{ json?: unknown, accept?: string }} options */
  const text = async (method, path, options) => {
    /** @type {Buffer[]} */
    const parts = [];
    await exchange(method, path, { ...options, onData: (part) => void parts.push(part) });
    return Buffer.concat(parts).toString();
  };

  return {
    /** Sends a request and reads the response, but does not parse it. @param {"GET" | "POST"} method @param {string} path @param {unknown} [json] */
    send: (method, path, json) => exchange(method, path, { json }),
    /** @param {"GET" | "POST"} method @param {string} path @param {unknown} [json] @returns {Promise<any>} */
    json: async (method, path, json) => JSON.parse(await text(method, path, { json })),
    /** Follows the output of a build to its end, and returns the build's status. @param {string} path */
    async follow(path) {
      const output = await text("GET", path, { accept: "text/event-stream" });
      const end = /^event: end\n(?:id: .*\n)?data: (.*)$/m.exec(output);
      if (!end) throw new Error(`${path} ended without its last event.`);
      return JSON.parse(end[1]).status;
    },
    close: () => pool.close(),
  };
};
