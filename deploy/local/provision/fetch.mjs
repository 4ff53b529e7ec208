// Getting things over HTTP, with errors that say what went wrong and no more.

/** @param {string} url */
export const get = async (url) => {
  const answer = await fetch(url, { signal: AbortSignal.timeout(600_000) }).catch((error) => {
    // The message may hold the whole address, and with it a password.
    throw new Error(`${new URL(url).host} cannot be reached (${error.cause?.code ?? error.name})`);
  });
  if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status}`);
  return answer;
};

/**
 * The body of an answer, telling a terminal how far it is.
 * @param {Response} answer
 */
export const body = async (answer) => {
  const chunks = [];
  const totalBytes = Number(answer.headers.get("content-length"));
  let bytes = 0;
  for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (/** @type {unknown} */ (answer.body))) {
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
 * Gets a whole file.
 * @param {string} url
 */
export const fetchBody = async (url) => body(await get(url));
