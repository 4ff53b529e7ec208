// A tab of a browser that has never been here, with a slow connection if need be.

/** A connection as of a train: 400 ms there and back, 400 kbit/s. */
const slowNetwork = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

/** @typedef {Awaited<ReturnType<typeof openTab>>} Tab */

/**
 * Opens a tab with the cookies of `state` and an empty cache.
 * @param {import("playwright-core").Browser} browser
 * @param {{ state?: Awaited<ReturnType<import("playwright-core").BrowserContext["storageState"]>>, slow?: boolean }} options
 */
export const openTab = async (browser, { state, slow = false }) => {
  const context = await browser.newContext({ storageState: state });
  context.setDefaultTimeout(180_000);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  if (slow) await session.send("Network.emulateNetworkConditions", slowNetwork);
  let receivedBytes = 0;
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    receivedBytes += encodedDataLength;
  });
  return {
    context,
    page,
    receivedBytes: () => receivedBytes,

    /** Breaks every connection for some time. @param {number} ms */
    async breakFor(ms) {
      await context.setOffline(true);
      await new Promise((resolve) => setTimeout(resolve, ms));
      await context.setOffline(false);
      if (slow) await session.send("Network.emulateNetworkConditions", slowNetwork);
    },

    /** Returns what the tab holds after garbage collection. */
    async memory() {
      await session.send("HeapProfiler.collectGarbage");
      await session.send("Performance.enable");
      const { metrics } = await session.send("Performance.getMetrics");
      const value = (/** @type {string} */ name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
      return { heapBytes: value("JSHeapUsedSize"), nodes: value("Nodes") };
    },

    close: () => context.close(),
  };
};
