// A small client of the public API.

/**
 * @param {string} url base URL of the API
 * @param {string} token
 * @param {string} publicUrl the base of the URLs in responses
 */
export const apiAt = (url, token, publicUrl = url) => {
  /**
   * Sends a request. Throws unless the status is 2xx.
   * @param {string} method
   * @param {string} path a path, or a URL from a response
   * @param {unknown} [body] sent as JSON
   * @param {Record<string, string>} [headers]
   */
  const send = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path.startsWith(publicUrl) ? path.slice(publicUrl.length) : path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok)
      throw Object.assign(new Error(`${method} ${path}: ${response.status} ${await response.text()}`), {
        status: response.status,
      });
    return response;
  };
  /** @returns {Promise<any>} */
  const json = async (/** @type {Parameters<typeof send>} */ ...args) => (await send(...args)).json();

  /**
   * Yields the events of a server-sent stream until the server closes it.
   * @param {string} path
   * @returns {AsyncGenerator<{ event: string, data: any }>}
   */
  async function* stream(path) {
    const response = await send("GET", path, undefined, { Accept: "text/event-stream" });
    let rest = "";
    if (!response.body) return;
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const field = (/** @type {string} */ name) =>
          block
            .split("\n")
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2);
        const data = field("data");
        if (data !== undefined) yield { event: field("event") ?? "message", data: JSON.parse(data) };
      }
    }
  }
  return { url, token, send, json, stream };
};

/** @typedef {ReturnType<typeof apiAt>} Api */
