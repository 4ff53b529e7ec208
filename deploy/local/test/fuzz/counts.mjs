// Counts requests and responses from the gateway's own metrics, independently of the fuzzer.

/**
 * @typedef {{ method: string, route: string, status: number, count: number }} Line
 * @typedef {{ requests: number, classes: Record<string, number>, operations: number, succeeded: number,
 *   failed: string[] }} Counts
 */

const sample = /^ci_http_seconds_count\{method="([^"]*)",route="([^"]*)",status="(\d+)"\} (\d+)/;

/**
 * Reads the gateway's metrics.
 * @param {string} metricsUrl
 * @returns {Promise<Line[]>}
 */
export const readLines = async (metricsUrl) => {
  const text = await (await fetch(metricsUrl)).text();
  return text.split("\n").flatMap((line) => {
    const [, method, route, status, count] = sample.exec(line) ?? [];
    return method === undefined ? [] : [{ method, route, status: Number(status), count: Number(count) }];
  });
};

/**
 * Sums up. `operations` were requested at all, `succeeded` succeeded at least once, and `failed` are the 5xx responses.
 * @param {Line[]} lines
 * @returns {Counts}
 */
export const summed = (lines) => {
  /** @type {Record<string, number>} */
  const classes = {};
  const known = lines.filter(({ method }) => method !== "other" && method !== "HEAD");
  for (const { status, count } of lines) {
    const name = `${Math.floor(status / 100)}xx`;
    classes[name] = (classes[name] ?? 0) + count;
  }
  const distinct = (/** @type {Line[]} */ some) => new Set(some.map(({ method, route }) => `${method} ${route}`));
  return {
    requests: lines.reduce((sum, { count }) => sum + count, 0),
    classes,
    operations: distinct(known).size,
    succeeded: distinct(known.filter(({ status }) => status < 400)).size,
    failed: lines
      .filter(({ status }) => status >= 500)
      .map(({ method, route, status, count }) => `${method} ${route}: ${status} (${count} times)`),
  };
};
