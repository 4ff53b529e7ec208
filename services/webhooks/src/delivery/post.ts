import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import { guardedFetch } from "@ci/kit/net/guarded-fetch";
import type { ReceivedResponse } from "@ci/proto/webhooks/v1/webhooks";
import { isAccepted } from "../domain/outcome.js";

export interface PostResult {
  readonly response?: ReceivedResponse;
  /** Set unless the receiver accepted. Contains no address. */
  readonly error?: string;
  readonly durationNs: number;
}

/** Posts to an address that a user has chosen. Throws only when `signal` fires. */
export type Post = (
  url: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly payload: string | Buffer },
  signal: AbortSignal,
) => Promise<PostResult>;

// Streaming mode drops a character that the truncation has cut.
const textOf = (body: Buffer, truncated: boolean): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(body, { stream: truncated });

/** BSON takes objects with such keys for values of its own. */
const unstorable = ["_bsontype", "$ref", "$id", "$db"];

const storable = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !unstorable.includes(name)));

export const poster =
  (agent: ReturnType<typeof guardedAgent>, limits: { timeoutMs: number; bodyLimitBytes: number }): Post =>
  async (url, { headers, payload }, signal) => {
    const startedAt = process.hrtime.bigint();
    const { timeoutMs, bodyLimitBytes: maxBodyBytes } = limits;
    try {
      const fetched = await guardedFetch(agent, url, {
        method: "POST",
        headers,
        body: payload,
        timeoutMs,
        maxBodyBytes,
        signal,
        mayRepeat: true,
        statusSuffices: true,
      });
      const { status: code, truncated, durationNs } = fetched;
      const response = { code, headers: storable(fetched.headers), body: textOf(fetched.body, truncated), truncated };
      return { response, error: isAccepted(code) ? undefined : `unexpected status ${code}`, durationNs };
    } catch (error) {
      if (!(error instanceof FetchFailed)) throw error;
      return { error: error.reason, durationNs: Number(process.hrtime.bigint() - startedAt) };
    }
  };
