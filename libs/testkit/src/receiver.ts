import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly at: Date;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly Received[];
}

/** Starts an HTTP server on 127.0.0.1 that records every request and answers it with 200 or `answer`. */
export async function receiver({
  answer = () => ({ status: 200 }),
}: {
  answer?: (request: Received) => Answer | Promise<Answer>;
} = {}): Promise<Receiver> {
  const requests: Received[] = [];
  const server = createServer(async (incoming, response) => {
    const request = await read(incoming).catch(() => undefined);
    if (!request) return; // The client disconnected.
    requests.push(request);
    write(response, await Promise.resolve(request).then(answer).catch(failure));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const read = async (incoming: IncomingMessage): Promise<Received> => ({
  method: incoming.method!,
  path: incoming.url!,
  headers: incoming.headers,
  at: new Date(),
  body: await buffer(incoming),
});

const write = (response: ServerResponse, { status, headers, body }: Answer) =>
  response.writeHead(status, headers).end(body);

const failure = (error: unknown): Answer => ({ status: 500, body: `The test's answer failed: ${String(error)}` });
