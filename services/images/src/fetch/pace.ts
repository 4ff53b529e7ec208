import { fixedLimit } from "@ci/kit/process/fixed-limit";

/** At this rate, the ten minutes of an attempt bring 600 KiB. */
const leastBytes = fixedLimit({
  max: 60 * 1024,
  unit: "bytes",
  about: "least of an image that its server must send within `DOWNLOAD_STALL`",
  refusal: "server too slow: less than N in T s",
});

/** Measures how fast a server sends. Only the time of waiting for it counts, not that of storing what it sent. */
export function paceOf(stallMs: number) {
  let isWaiting = false;
  let waitedMs = 0;
  let bytes = 0;

  function count(more: number): void {
    bytes += more;
    if (bytes < leastBytes) return;
    bytes = 0;
    waitedMs = 0;
  }

  return {
    async until<T>(response: Promise<T>): Promise<T> {
      isWaiting = true;
      return response.finally(() => {
        isWaiting = false;
        waitedMs = 0;
      });
    },

    async *through(sent: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      isWaiting = true;
      try {
        for await (const piece of sent) {
          isWaiting = false;
          count(piece.length);
          yield piece;
          isWaiting = true;
        }
      } finally {
        isWaiting = false;
      }
    },

    /** Tells that time has passed. Returns a complaint once the server is too slow. */
    passed(ms: number): string | undefined {
      if (isWaiting) waitedMs += ms;
      if (waitedMs < stallMs) return undefined;
      return `server too slow: less than ${leastBytes / 1024} KiB in ${stallMs / 1_000} s`;
    },
  };
}

export type Pace = ReturnType<typeof paceOf>;
