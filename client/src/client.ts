import createApi, { type Client as Api, defaultPathSerializer } from "openapi-fetch";
import { type ApiError, errorOf, ForeignResponse } from "./errors.js";
import { type FollowOptions, follow, type StreamEvent } from "./follow.js";
import type { paths } from "./gen/openapi.js";
import { straight } from "./paths.js";
import { type RepeatOptions, repeating } from "./repeat.js";

export interface ClientOptions extends RepeatOptions {
  /** Base URL of the API, such as `https://ci.example.com`. */
  readonly url: string;
  readonly token?: string | undefined;
  /** What the URLs in records begin with, if clients reach the API at another address. Default: `url`. */
  readonly publicUrl?: string | undefined;
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

export interface UploadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes that have been handed over. */
  readonly onProgress?: ((sentBytes: number) => void) | undefined;
}

export interface OutputOptions {
  /** Begins each line of an output with its time in UTC and a blank. */
  readonly timestamps?: boolean | undefined;
}

/** A client of one server, with one token. */
export interface Client {
  /** Every route of the API, typed. A response other than 2xx throws an ApiError, and one without JSON a ForeignResponse. */
  readonly api: Api<paths>;
  /** Sends a request to a path of the API or a URL from a record. Throws an ApiError unless the response is 2xx, and a ForeignResponse for a page. */
  request(pathOrUrl: string, init?: RequestInit): Promise<Response>;
  /** Yields the events of an output or of a namespace as they happen, each once, also across lost connections. Throws if the first connection fails, and a ForeignResponse for anything but a stream. */
  follow(pathOrUrl: string, options?: FollowOptions & OutputOptions): AsyncGenerator<StreamEvent>;
  /** Uploads content to `/objects` or `/images` as it is read, and returns the record. */
  upload<T = unknown>(
    path: string,
    query: Readonly<Record<string, string>>,
    content: ReadableStream<Uint8Array>,
    options?: UploadOptions,
  ): Promise<T>;
}

/** Returns the address of an output whose lines begin with their times. */
const withTimes = (pathOrUrl: string): string => `${pathOrUrl}${pathOrUrl.includes("?") ? "&" : "?"}timestamps=true`;

const withoutSlash = (url: string): string => url.replace(/\/+$/, "");

async function failed(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  try {
    return errorOf(response, JSON.parse(text));
  } catch {
    return errorOf(response, undefined);
  }
}

const typeOf = ({ headers }: Response): string => headers.get("content-type") ?? "";

/** Reports whether a response is a page. Content is an attachment, also if it is HTML. */
const isPage = (response: Response): boolean =>
  /^text\/html\b/i.test(typeOf(response)) && !response.headers.has("content-disposition");

const isStream = (response: Response): boolean => /^text\/event-stream\b/i.test(typeOf(response));

const hasRecord = (response: Response): boolean =>
  response.status === 204 || /^application\/json\b/i.test(typeOf(response));

const counting = (onProgress: (sentBytes: number) => void): TransformStream<Uint8Array, Uint8Array> => {
  let sentBytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      sentBytes += chunk.byteLength;
      onProgress(sentBytes);
      controller.enqueue(chunk);
    },
  });
};

/** Returns a client. It sends nothing before its first call. */
export function createClient({ token, fetch: send = globalThis.fetch, ...options }: ClientOptions): Client {
  const fetch = repeating((request) => send(request), options);
  const url = withoutSlash(options.url);
  const publicUrl = withoutSlash(options.publicUrl ?? options.url);
  const api = createApi<paths>({
    baseUrl: url,
    fetch,
    pathSerializer: (path, values) => straight(defaultPathSerializer(path, values)),
    ...(token ? { headers: bearer(token) } : {}),
  });

  /** Throws unless the server has accepted the request, and `ours` says that it is Service CI. */
  async function requireOurs(response: Response, ours: boolean): Promise<void> {
    if (!response.ok) throw await failed(response);
    if (ours) return;
    await response.body?.cancel();
    throw new ForeignResponse(url);
  }

  api.use({
    async onResponse({ response, options: { parseAs } }) {
      await requireOurs(response, parseAs === "json" ? hasRecord(response) : !isPage(response));
      return undefined;
    },
  });

  /** Returns the address of a path or of a record's URL. The token never goes to another server. */
  function addressOf(pathOrUrl: string): string {
    if (pathOrUrl.startsWith("/")) return straight(url + pathOrUrl);
    for (const base of [publicUrl, url])
      if (pathOrUrl.startsWith(`${base}/`)) return straight(url + pathOrUrl.slice(base.length));
    throw new TypeError(`${pathOrUrl} is not below ${publicUrl}`);
  }

  async function sendTo(
    address: string,
    init: RequestInit = {},
    isOurs = (response: Response) => !isPage(response),
  ): Promise<Response> {
    const headers = new Headers(init.headers);
    if (token) headers.set("Authorization", bearer(token).Authorization);
    const response = await fetch(new Request(address, { ...init, headers }));
    await requireOurs(response, isOurs(response));
    return response;
  }

  const request = async (pathOrUrl: string, init?: RequestInit) => sendTo(addressOf(pathOrUrl), init);

  return {
    api,
    request,
    follow(pathOrUrl, { timestamps, ...options } = {}) {
      const address = addressOf(timestamps ? withTimes(pathOrUrl) : pathOrUrl);
      return follow((headers, signal) => sendTo(address, { headers, signal }, isStream), options);
    },
    async upload(path, query, content, { signal, onProgress } = {}) {
      const body = onProgress ? content.pipeThrough(counting(onProgress)) : content;
      const headers = { "Content-Type": "application/octet-stream" };
      // Without `duplex`, Node.js refuses to send a stream.
      const init = { method: "POST", body, headers, duplex: "half", ...(signal ? { signal } : {}) };
      return (await request(`${path}?${new URLSearchParams(query)}`, init as RequestInit)).json();
    },
  };
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
