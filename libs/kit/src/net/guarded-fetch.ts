import type { Readable } from "node:stream";
import { type Agent, request } from "undici";
import { FetchFailed, failure } from "./fetch-failed.js";

export type FetchOptions = {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Covers everything: names, connections, redirects, and the body to its last byte. */
  readonly timeoutMs: number;
  /** Counts for GET only. With 0 the redirect itself is returned. */
  readonly maxRedirects?: number;
  readonly signal?: AbortSignal;
};

/** Dispose of it unless you read the body to its end. */
export type StreamedResponse = Disposable & {
  readonly status: number;
  /** Names are in lower case, repeated headers joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
};

type Deadline = Disposable & { readonly signal: AbortSignal };

const deadline = (timeoutMs: number, caller?: AbortSignal): Deadline => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new FetchFailed("timeout")), timeoutMs);
  const stop = () => controller.abort(caller?.reason);
  if (caller?.aborted) stop();
  caller?.addEventListener("abort", stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      caller?.removeEventListener("abort", stop);
    },
  };
};

const secretHeaders = ["authorization", "cookie"];

const follow = (from: URL, location: string, headers: Record<string, string>): URL => {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (to?.protocol !== "http:" && to?.protocol !== "https:") throw new FetchFailed("invalid redirect");
  const names = to.origin === from.origin ? [] : Object.keys(headers);
  for (const name of names) if (secretHeaders.includes(name.toLowerCase())) delete headers[name];
  return to;
};

const exchange = async (agent: Agent, start: URL, options: FetchOptions, signal: AbortSignal) => {
  const { method = "GET", body, maxRedirects = 0 } = options;
  const headers = { ...options.headers };
  let url = start;
  for (let hop = 0; ; hop++) {
    const waits = { headersTimeout: 0, bodyTimeout: 0 };
    const response = await request(url, { dispatcher: agent, method, headers, body, signal, ...waits });
    // A destroyed body reports an error even if nothing reads it.
    response.body.on("error", () => {});
    const { location } = response.headers;
    const redirect = [301, 302, 303, 307, 308].includes(response.statusCode) && method === "GET" && maxRedirects > 0;
    if (!redirect || typeof location !== "string") return response;
    response.body.destroy();
    if (hop === maxRedirects) throw new FetchFailed("too many redirects");
    url = follow(url, location, headers);
  }
};

async function* chunksOf(body: Readable, until: Deadline): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (error) {
    throw failure(error, until.signal);
  } finally {
    until[Symbol.dispose]();
  }
}

/** Does the same as guardedFetch, but returns the body as a stream. The deadline covers the body. */
export const guardedStream = async (
  agent: Agent,
  url: URL | string,
  options: FetchOptions,
): Promise<StreamedResponse> => {
  const until = deadline(options.timeoutMs, options.signal);
  try {
    const { statusCode, headers, body } = await exchange(agent, new URL(url), options, until.signal);
    const flat = Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]);
    const dispose = () => {
      until[Symbol.dispose]();
      body.destroy();
    };
    const response = { status: statusCode, headers: Object.fromEntries(flat), body: chunksOf(body, until) };
    return { ...response, [Symbol.dispose]: dispose };
  } catch (error) {
    until[Symbol.dispose]();
    throw failure(error, until.signal);
  }
};

const readUpTo = async (
  body: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ body: Buffer; truncated: boolean }> => {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    parts.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) break;
  }
  return { body: Buffer.concat(parts).subarray(0, maxBytes), truncated: sizeBytes > maxBytes };
};

/** Reads at most `maxBodyBytes` of the body. Throws FetchFailed, or the signal's reason if the caller gave up. */
export const guardedFetch = async (
  agent: Agent,
  url: URL | string,
  options: FetchOptions & { maxBodyBytes: number },
) => {
  const startedAt = process.hrtime.bigint();
  using response = await guardedStream(agent, url, options);
  const read = await readUpTo(response.body, options.maxBodyBytes);
  const durationNs = Number(process.hrtime.bigint() - startedAt);
  return { status: response.status, headers: response.headers, ...read, durationNs };
};
