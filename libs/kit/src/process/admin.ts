import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { computedGauge, metrics } from "./metrics.js";

const showReady = computedGauge({ name: "ci_ready", help: "1 when the process can do its work, else 0" });

export function splitAddress(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(address.slice(colon + 1)) };
}

/**
 * Serves /healthz, /readyz (`ready` resolves, `check` does not throw) and /metrics, away from the API's address. Until
 * `started` returns true, /healthz is 503 too: Compose starts what needs this process when it is healthy.
 */
export async function serveAdmin(
  listen: string,
  check: () => void,
  ready: () => Promise<unknown>,
  started: () => boolean = () => true,
): Promise<AsyncDisposable & { port: number }> {
  const isReady = () =>
    ready().then(
      () => 1,
      () => 0,
    );
  const isServing = () => {
    try {
      check();
      return true;
    } catch {
      return false;
    }
  };
  const gauge = showReady(async () => [{ value: await isReady() }]);
  const server = createServer(async (request, response) => {
    const reply = (status: number, body: string, type = "text/plain; charset=utf-8") =>
      response.writeHead(status, { "Content-Type": type }).end(body);
    if (request.url === "/healthz") return started() ? reply(200, "ok\n") : reply(503, "starting\n");
    if (request.url === "/metrics") return reply(200, await metrics.metrics(), metrics.contentType);
    if (request.url !== "/readyz") return reply(404, "not found\n");
    if (isServing() && (await isReady()) === 1) reply(200, "ready\n");
    else reply(503, "not ready\n");
  });
  const { host, port } = splitAddress(listen);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      await gauge[Symbol.asyncDispose]();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
