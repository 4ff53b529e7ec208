import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Description } from "./description.js";

export interface ApiRequest {
  readonly json?: unknown;
  /** Sent unchanged. A stream is sent in chunks. */
  readonly body?: string | Buffer | Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read records field by field
  readonly json: any;
}

/** The REST API for one caller. Every response is checked against the gateway's OpenAPI document. */
export interface Api {
  send(method: string, path: string, request?: ApiRequest): Promise<ApiResponse>;
  get(path: string, headers?: ApiRequest["headers"]): Promise<ApiResponse>;
  post(path: string, json?: unknown): Promise<ApiResponse>;
  patch(path: string, json?: unknown): Promise<ApiResponse>;
  delete(path: string): Promise<ApiResponse>;
  /** Resolves when the response's headers have arrived. The caller reads the body. */
  open(method: string, path: string, request?: ApiRequest): Promise<IncomingMessage>;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

function open(
  url: string,
  token: string | undefined,
  method: string,
  path: string,
  request: ApiRequest,
): Promise<IncomingMessage> {
  const { json, headers } = request;
  const body = json === undefined ? request.body : JSON.stringify(json);
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({
      agent,
      hostname,
      port,
      method,
      // A URL object would normalize the path.
      path,
      headers: {
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
        ...(typeof body === "string" || Buffer.isBuffer(body) ? { "Content-Length": Buffer.byteLength(body) } : {}),
        ...headers,
      },
    });
    outgoing.once("response", resolve).once("error", reject);
    if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) outgoing.end(body);
    // The gateway may respond and hang up before the body ends.
    else pipeline(body, outgoing).catch(() => undefined);
  });
}

async function read(response: IncomingMessage): Promise<ApiResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString();
  const isJson = response.headers["content-type"]?.startsWith("application/json") && text !== "";
  const headers = response.headers as Record<string, string | undefined>;
  return { status: response.statusCode!, headers, bytes, text, json: isJson ? JSON.parse(text) : undefined };
}

interface ApiOptions {
  readonly publicUrl: string;
  readonly origin: string;
  readonly token?: string;
  readonly description?: Description;
}

/** Returns a client. It takes paths below the public URL, and absolute URLs from responses. */
export function apiAt({ publicUrl, origin, token, description }: ApiOptions): Api {
  const base = new URL(publicUrl).pathname.replace(/\/$/, "");
  const below = (path: string) => (path.startsWith(`${publicUrl}/`) ? path.slice(publicUrl.length) : path);
  const openAt: Api["open"] = (method, path, request = {}) => open(origin, token, method, base + below(path), request);
  const send: Api["send"] = async (method, path, request) => {
    const response = await read(await openAt(method, path, request));
    description?.check(method, below(path), response);
    return response;
  };
  return {
    send,
    open: openAt,
    get: (path, headers) => send("GET", path, { headers }),
    post: (path, json) => send("POST", path, { json }),
    patch: (path, json) => send("PATCH", path, { json }),
    delete: (path) => send("DELETE", path),
  };
}
