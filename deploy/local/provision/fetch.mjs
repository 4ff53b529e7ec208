// Downloads over HTTP. Errors name the host only, because a URL may contain a password.

/** @param {string} url */
export const get = async (url) => {
  const response = await fetch(url, { signal: AbortSignal.timeout(600_000) }).catch((error) => {
    throw new Error(`${new URL(url).host} cannot be reached (${error.cause?.code ?? error.name})`);
  });
  if (!response.ok) throw new Error(`${new URL(url).host} returned ${response.status}`);
  return response;
};

/**
 * Reads the body of a response. Shows the progress on a terminal.
 * @param {Response} response
 */
export const body = async (response) => {
  const chunks = [];
  const totalBytes = Number(response.headers.get("content-length"));
  let bytes = 0;
  for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (response.body))) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (process.stdout.isTTY) process.stdout.write(`\r  ${megabytes(bytes)} of ${megabytes(totalBytes)} MB `);
  }
  if (process.stdout.isTTY) process.stdout.write("\n");
  return Buffer.concat(chunks);
};

/** @param {number} bytes */
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/**
 * Downloads a file.
 * @param {string} url
 */
export const fetchBody = async (url) => body(await get(url));
