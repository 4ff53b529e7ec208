import type { IncomingMessage, ServerResponse } from "node:http";

/** Origins whose pages may read responses; `*` means all. */
export type Cors = ReadonlySet<string>;

const exposedHeaders = [
  ...["Link", "X-Request-Id", "Retry-After", "RateLimit", "RateLimit-Policy"],
  ...["WWW-Authenticate", "Content-Range", "Content-Disposition", "X-First-Line", "Idempotent-Replayed"],
].join(", ");
const allowedHeaders =
  "Accept, Authorization, Content-Type, Idempotency-Key, If-Modified-Since, Last-Event-ID, Range, X-Request-Id";

/** Lets pages of a listed origin read the response to a token. A cookie from there is never accepted. */
export function crossOrigin(cors: Cors, { headers }: IncomingMessage, response: ServerResponse): void {
  if (cors.size === 0) return;
  response.setHeader("Vary", "Origin");
  const { origin } = headers;
  if (!origin || !(cors.has(origin) || cors.has("*"))) return;
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Access-Control-Expose-Headers", exposedHeaders);
}

export const preflight = (allow: readonly string[]): Record<string, string> => ({
  Allow: allow.join(", "),
  "Access-Control-Allow-Methods": allow.join(", "),
  "Access-Control-Allow-Headers": allowedHeaders,
  "Access-Control-Max-Age": "600",
});
