import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import { guardedFetch } from "@ci/kit/net/guarded-fetch";
import type { ReceivedResponse } from "@ci/proto/webhooks/v1/webhooks";
import { accepted } from "./domain/outcome.js";

/** What came of one request: a response, or why there is none. */
export interface Came {
  readonly response?: ReceivedResponse;
  /** Set unless the receiver accepted. Names no address. */
  readonly error?: string;
  readonly durationNs: number;
}

/** One request to an address that a stranger chose. Throws only when `signal` fires. */
export type Post = (
  url: string,
  sent: { readonly headers: Readonly<Record<string, string>>; readonly payload: string },
  signal: AbortSignal,
) => Promise<Came>;

// A response that is cut may end in the middle of a character, which is then left out.
const textOf = (body: Buffer, truncated: boolean): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(body, { stream: truncated });

/** Posts through a guarded agent, and keeps the beginning of what is answered. */
export const poster =
  (agent: ReturnType<typeof guardedAgent>, limits: { timeoutMs: number; bodyLimitBytes: number }): Post =>
  async (url, { headers, payload }, signal) => {
    const startedAt = process.hrtime.bigint();
    const { timeoutMs, bodyLimitBytes: maxBodyBytes } = limits;
    try {
      const answer = await guardedFetch(agent, url, {
        method: "POST",
        headers,
        body: payload,
        timeoutMs,
        maxBodyBytes,
        signal,
      });
      const { status: code, truncated, durationNs } = answer;
      const response = { code, headers: answer.headers, body: textOf(answer.body, truncated), truncated };
      return { response, error: accepted(code) ? undefined : `unexpected status ${code}`, durationNs };
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error;
      return { error: error.reason, durationNs: Number(process.hrtime.bigint() - startedAt) };
    }
  };
