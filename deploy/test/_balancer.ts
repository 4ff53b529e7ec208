import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** The ports of a replica on 127.0.0.1. */
export interface Replica {
  readonly port: number;
  readonly adminPort: number;
}

/** A change of readiness is noticed late, as in a cluster. */
const lookEveryMs = 1_000;
const patienceMs = 5_000;

/** Reports whether a replica is ready. */
export const isReady = ({ adminPort }: Replica) =>
  fetch(`http://127.0.0.1:${adminPort}/readyz`, { signal: AbortSignal.timeout(patienceMs) }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * Works like a Service of Kubernetes: each new connection goes to the next ready replica and stays there. If the replica
 * refuses or closes it, the client's connection is closed too.
 */
export async function balancer(): Promise<
  AsyncDisposable & { readonly port: number; serve(replicas: readonly Replica[]): Promise<void> }
> {
  let known: readonly Replica[] = [];
  let ready: readonly Replica[] = [];
  let turn = 0;
  const open = new Set<Socket>();
  const stopping = new AbortController();

  const look = async () => {
    const looked = known;
    const answers = await Promise.all(looked.map(isReady));
    if (looked === known) ready = looked.filter((_, nth) => answers[nth]);
  };
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      await look();
      await pause(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();

  const server = createServer({ allowHalfOpen: true }, (client) => {
    const one = ready[turn++ % Math.max(1, ready.length)];
    if (!one) return void client.destroy();
    const replica = connect({ port: one.port, host: "127.0.0.1", allowHalfOpen: true });
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
      known = replicas;
      await look();
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await looking;
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
