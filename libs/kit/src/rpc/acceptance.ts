import type { CallContext } from "nice-grpc";

/** Servers of earlier versions do not say that they accept a stream. */
const patienceMs = 2_000;

/** Tells the client at once that this server reads its messages. */
export function accept({ header, sendHeader }: CallContext): void {
  header.set("ci-accepted", "true");
  sendHeader();
}

/** Whether the server has accepted a stream. */
interface Acceptance extends Disposable {
  arrived(): void;
  /** Yields the first message at once, and the others after the header. */
  hold<T>(messages: AsyncIterable<T>): AsyncGenerator<T>;
}

/**
 * Holds messages back until the server has accepted their stream. A server refuses a stream that begins while it replaces
 * the connection; gRPC then begins anew on the next connection, but only with what it still has in memory.
 */
export function awaitAcceptance(): Acceptance {
  let arrived: () => void = () => undefined;
  const accepted = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const timer = setTimeout(arrived, patienceMs).unref();
  return {
    arrived,
    async *hold(messages) {
      for await (const message of messages) {
        yield message;
        await accepted;
      }
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      arrived();
    },
  };
}
