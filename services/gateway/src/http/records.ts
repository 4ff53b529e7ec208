import type { Context } from "../context.js";
import { userOf } from "../limits/user-of.js";
import { jsonType, Refusal } from "./answer.js";
import type { Exchange } from "./exchange.js";
import { isReading } from "./negotiate.js";
import { send, sendInPieces } from "./send.js";

/** Most clients take so much at once. */
const smallCharacters = 64 * 1024;

/** Sends JSON. Resolves when a client has taken a long one; what a client leaves counts for the user. */
export async function sendRecords(
  { config, unsent }: Pick<Context, "config" | "unsent">,
  exchange: Exchange,
  status: number,
  json: string,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  const { request, response } = exchange;
  const headers = { ...jsonType, ...more };
  if (json.length <= smallCharacters || request.method === "HEAD") {
    send(response, status, headers, json);
    const leftBytes = response.writableLength;
    if (leftBytes > 0 && !unsent.hold(userOf(config, exchange), response, leftBytes)) request.socket.destroy();
    return;
  }
  const body = Buffer.from(json);
  const signal = unsent.hold(userOf(config, exchange), response, body.length);
  if (signal) return sendInPieces(response, status, headers, body, signal);
  if (isReading(request)) throw new Refusal(429, "Too many requests", { "Retry-After": "10" });
  // The change is made, so the client must not repeat it.
  request.socket.destroy();
}
