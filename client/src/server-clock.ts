type Fetch = (request: Request) => Promise<Response>;

export interface ServerClock {
  /** Returns the server's time in milliseconds since 1970; this machine's before the first response. */
  now(): number;
  /** Wraps a `fetch`: the dates of its responses correct this clock. */
  timed(fetch: Fetch): Fetch;
}

/** Follows the server's clock, since this machine's may differ. `local` is this machine's time. */
export function serverClock(local: () => number = Date.now): ServerClock {
  let correctionMs = 0;

  function correct(response: Response, sentAt: number): void {
    const date = Date.parse(response.headers.get("date") ?? "");
    if (Number.isNaN(date)) return;
    // The header has whole seconds, and was written between request and response.
    correctionMs = Math.min(Math.max(correctionMs, date - local()), date + 1_000 - sentAt);
  }

  return {
    now: () => local() + correctionMs,
    timed: (fetch) => async (request) => {
      const sentAt = local();
      const response = await fetch(request);
      correct(response, sentAt);
      return response;
    },
  };
}
