import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** The ports of a replica on 127.0.0.1. */
export interface Replica {
  readonly port: number;
  readonly adminPort: number;
}

/** Readiness is checked rarely, as in a cluster. */
const checkEveryMs = 1_000;
const readyTimeoutMs = 5_000;

/** Reports whether a replica is ready. */
export const isReady = ({ adminPort }: Replica) =>
  fetch(`http://127.0.0.1:${adminPort}/readyz`, { signal: AbortSignal.timeout(readyTimeoutMs) }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Works like a Kubernetes Service: each new connection goes to the next ready replica and stays there. If the replica
 * refuses or closes it, the client's connection closes too.
 */
export async function balancer(): Promise<
  AsyncDisposable & { readonly port: number; serve(replicas: readonly Replica[]): Promise<void> }
> {
  let all: readonly Replica[] = [];
  let ready: readonly Replica[] = [];
  let nextIndex = 0;
  const open = new Set<Socket>();
  const stopping = new AbortController();

  const refreshReady = async () => {
    const checked = all;
    const readiness = await Promise.all(checked.map(isReady));
    if (checked === all) ready = checked.filter((_, nth) => readiness[nth]);
  };
  const refreshing = (async () => {
    while (!stopping.signal.aborted) {
      await refreshReady();
      await pause(checkEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const chosen = ready[nextIndex++ % Math.max(1, ready.length)];
    if (!chosen) return void client.destroy();
    const replica = connect({ port: chosen.port, host: "127.0.0.1", allowHalfOpen: true });
    for (const [from, to] of [
      [client, replica],
      [replica, client],
    ] as const) {
      open.add(from);
      from
        .on("error", () => to.resetAndDestroy())
        .once("close", () => open.delete(from))
        .pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async serve(replicas) {
      all = replicas;
      await refreshReady();
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await refreshing;
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
