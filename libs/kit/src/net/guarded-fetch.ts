import type { Readable } from "node:stream";
import { type Agent, type Dispatcher, request } from "undici";
import { joined } from "../bytes/joined.js";
import { Pieces } from "../bytes/pieces.js";
import { fixedLimit } from "../process/fixed-limit.js";
import { bodyFailure, FetchFailed, failure } from "./fetch-failed.js";
import type { Connection, RequestOptions } from "./guarded-agent.js";

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

type Repeatable = {
  /** The server recognizes a repeated request, so it is sent again if a reused connection breaks before the response. */
  readonly mayRepeat?: boolean;
  /** The status of a response without a length counts even if the connection breaks within its body. */
  readonly statusSuffices?: boolean;
};

/** Dispose of it unless you read the body to its end. */
export type StreamedResponse = Disposable & {
  readonly status: number;
  /** Names are in lower case, repeated headers joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Buffer>;
};

/** Calls `stop` with the reason after the time or when the caller gives up, unless it is disposed before. */
const deadline = (timeoutMs: number, caller: AbortSignal | undefined, stop: (reason: unknown) => void): Disposable => {
  const timer = setTimeout(() => stop(new FetchFailed("timeout")), timeoutMs);
  const giveUp = () => stop(caller?.reason);
  if (caller?.aborted) giveUp();
  caller?.addEventListener("abort", giveUp);
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      caller?.removeEventListener("abort", giveUp);
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

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

interface Answered {
  readonly statusCode: number;
  readonly headers: ResponseHeaders;
}

/** Returns where a response redirects to, if the request follows redirects. */
const redirectOf = ({ method = "GET", maxRedirects = 0 }: FetchOptions, { statusCode, headers }: Answered) => {
  const { location } = headers;
  const redirects = [301, 302, 303, 307, 308].includes(statusCode) && method === "GET" && maxRedirects > 0;
  return redirects && typeof location === "string" ? location : undefined;
};

/** Sends a request, and further ones as long as responses redirect. */
const exchange = async <A extends Answered>(
  url: URL | string,
  options: FetchOptions,
  send: (url: URL, headers: Record<string, string>) => Promise<A>,
): Promise<A> => {
  const headers = { ...options.headers };
  let next = new URL(url);
  for (let hop = 0; ; hop++) {
    const answered = await send(next, headers);
    const location = redirectOf(options, answered);
    if (location === undefined) return answered;
    if (hop === options.maxRedirects) throw new FetchFailed("too many redirects");
    next = follow(next, location, headers);
  }
};

const flat = (headers: ResponseHeaders): Record<string, string> => {
  const joined: Record<string, string> = {};
  for (const [name, value = ""] of Object.entries(headers))
    joined[name] = typeof value === "string" ? value : value.join(", ");
  return joined;
};

const maxInterim = fixedLimit({
  max: 16,
  about: "interim responses (1xx) to one request to a webhook, or for an image or commit",
  effect: "the connection is closed: invalid response",
});

/** Returns what counts interim responses to one request. An error from a callback makes undici close the connection. */
const interimCounter = () => {
  let count = 0;
  return () => {
    if (++count > maxInterim) throw new FetchFailed("invalid response");
  };
};

const noLimits = { headersTimeout: 0, bodyTimeout: 0 } as const;

async function* chunksOf(body: Readable, until: Disposable, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* joined(body);
  } catch (error) {
    throw bodyFailure(error, signal);
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
  const { method = "GET", body: sent } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const until = deadline(options.timeoutMs, options.signal, (reason) => stopping.abort(reason));
  try {
    const { statusCode, headers, body } = await exchange(url, options, async (to, headers) => {
      const sending = { dispatcher: agent, method, headers, body: sent, signal, onInfo: interimCounter(), ...noLimits };
      const response = await request(to, sending);
      // A destroyed body reports an error even if nothing reads it.
      response.body.on("error", () => {});
      if (redirectOf(options, response) !== undefined) response.body.destroy();
      return response;
    });
    const dispose = () => {
      until[Symbol.dispose]();
      body.destroy();
    };
    return {
      status: statusCode,
      headers: flat(headers),
      body: chunksOf(body, until, signal),
      [Symbol.dispose]: dispose,
    };
  } catch (error) {
    until[Symbol.dispose]();
    throw failure(error, signal);
  }
};

/** Whatever their Content-Length says, with which undici would compare an empty body. */
const withoutBody = [204, 304];

const hasLength = ({ headers }: Answered): boolean =>
  headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

const isReset = (error: unknown): boolean => (failure(error) as FetchFailed).reason === "connection reset";

type Received = Answered & { readonly body: Buffer; readonly truncated: boolean };

/** A request whose response is kept in memory. Streams and signals would cost as much CPU time as the rest of it. */
const receiving = (options: FetchOptions & Repeatable, maxBytes: number) => {
  const { mayRepeat = false, statusSuffices = false } = options;
  let stopped: { readonly reason: unknown } | undefined;
  let stopCurrent = (_reason: unknown) => {};

  /** Returns undefined if a reused connection broke before the response. */
  const sendOnce = (agent: Agent, url: URL, headers: Record<string, string>) =>
    new Promise<Received | undefined>((resolve, reject) => {
      const { method = "GET", body } = options;
      let controller: Dispatcher.DispatchController | undefined;
      let connection: Connection | undefined;
      let isReused = false;
      let answered: Answered = { statusCode: 0, headers: {} };
      const pieces = new Pieces();
      const countInterim = interimCounter();
      const end = () => {
        const truncated = pieces.sizeBytes > maxBytes;
        resolve({ ...answered, body: pieces.all().subarray(0, maxBytes), truncated });
      };
      const close = () => controller?.abort(new FetchFailed("closed"));
      stopCurrent = (reason) => {
        reject(reason);
        close();
      };
      if (stopped) return reject(stopped.reason);
      const onConnection = (given: Connection) => {
        connection = given;
      };
      const target = { origin: url.origin, path: url.pathname + url.search };
      const sending: RequestOptions = { ...target, method, headers, body, ...noLimits, onConnection };
      agent.dispatch(sending, {
        onRequestStart(current) {
          controller = current;
          isReused = connection?.hasAnswered === true;
          if (stopped) close();
        },
        onResponseStart(_, statusCode, headers) {
          isReused = false;
          if (connection) connection.hasAnswered = true;
          if (statusCode < 200) return countInterim();
          answered = { statusCode, headers };
          if (withoutBody.includes(statusCode)) return end();
          if (redirectOf(options, answered) === undefined) return;
          end();
          close();
        },
        onResponseData(_, chunk) {
          pieces.add(chunk);
          if (pieces.sizeBytes <= maxBytes) return;
          end();
          close();
        },
        onResponseEnd: end,
        onResponseError(_, error) {
          const hasStatus = answered.statusCode > 0;
          if (mayRepeat && isReused && isReset(error)) resolve(undefined);
          // A simple receiver resets the connection if it closes it before it has read the whole request.
          else if (statusSuffices && hasStatus && !hasLength(answered) && isReset(error)) end();
          else reject(hasStatus ? bodyFailure(error) : error);
        },
      });
    });

  const send = async (agent: Agent, url: URL, headers: Record<string, string>): Promise<Received> => {
    for (;;) {
      const received = await sendOnce(agent, url, headers);
      if (received) return received;
    }
  };

  return {
    send,
    stop(reason: unknown): void {
      stopped ??= { reason };
      stopCurrent(stopped.reason);
    },
  };
};

/** Reads at most `maxBodyBytes` of the body. Throws FetchFailed, or the signal's reason if the caller gave up. */
export const guardedFetch = async (
  agent: Agent,
  url: URL | string,
  options: FetchOptions & Repeatable & { maxBodyBytes: number },
) => {
  const startedAt = process.hrtime.bigint();
  const { send, stop } = receiving(options, options.maxBodyBytes);
  using _until = deadline(options.timeoutMs, options.signal, stop);
  try {
    const received = await exchange(url, options, (to, headers) => send(agent, to, headers));
    const { statusCode: status, headers, body, truncated } = received;
    return {
      status,
      headers: flat(headers),
      body,
      truncated,
      durationNs: Number(process.hrtime.bigint() - startedAt),
    };
  } catch (error) {
    throw failure(error, options.signal);
  }
};
