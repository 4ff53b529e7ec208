import type { Context } from "../context.js";
import { disconnected, type Exchange } from "../http/exchange.js";
import { write } from "../http/send.js";
import { userOf } from "../limits/user-of.js";
import { opened } from "../stream/resume.js";

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends content at the client's speed, in one of its user's turns to download. */
export function sendContent(
  { config, downloadTurns }: Pick<Context, "config" | "downloadTurns">,
  exchange: Exchange,
  { status, headers }: Head,
  read: (options: { signal: AbortSignal }) => AsyncIterable<{ readonly chunk: Buffer }>,
): Promise<void> {
  const { response } = exchange;
  const signal = disconnected(exchange);
  return downloadTurns(userOf(config, exchange), signal, async () => {
    const chunks = await opened(read({ signal }));
    response.writeHead(status, headers);
    for await (const { chunk } of chunks) await write(response, chunk, signal);
    response.end();
  });
}
