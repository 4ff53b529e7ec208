import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { splitAddress } from "@ci/kit/process/admin";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Config } from "../config.js";
import { shareConnections } from "../limits/connections.js";
import { sendJson } from "./answer.js";
import { oneAfterAnother } from "./pipelined.js";
import { secure, securityHeaders } from "./security.js";

const headersTimeoutMs = fixedLimit({
  max: 10_000,
  unit: "ms",
  about: "time to send the headers of a request",
  refusal: "Malformed request",
});
const maxHeaderBytes = fixedLimit({
  max: 16 * 1024,
  unit: "bytes",
  about: "address and headers of a request",
  refusal: "Malformed request",
});
const maxHeaders = fixedLimit({ max: 100, about: "headers of a request", refusal: "Malformed request" });
const checkEveryMs = 5_000;
/** A connection is closed after this long without traffic; streams send something every 15 s. */
const idleMs = fixedLimit({
  max: 120_000,
  unit: "ms",
  about: "time that a connection may be silent",
  effect: "the connection is closed",
});
/** Longer than load balancers keep idle connections, so that they never write to one that we have just closed. */
const keepAliveMs = 75_000;

const malformed = { message: "Malformed request" };
const encoded = { message: "Transfer-Encoding must be chunked" };

/** Answers a request that node cannot parse, in the same form as every other failure. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  // A proxy may open a connection for later: it must not take a refusal for the response to its first request.
  const isUnused = error.code === "ERR_HTTP_REQUEST_TIMEOUT" && socket.bytesRead === 0;
  if (error.code === "ECONNRESET" || isUnused || !socket.writable) return void socket.destroy();
  const body = JSON.stringify(malformed);
  socket.end(
    [
      "HTTP/1.1 400 Bad Request",
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${body.length}`,
      `X-Request-Id: ${randomUUID()}`,
      ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

/** Node drops headers beyond its limit, which a proxy may have added, and decodes no transfer coding but chunked. */
function complaintAbout({ rawHeaders, headers }: IncomingMessage): { message: string } | undefined {
  if (rawHeaders.length > 2 * maxHeaders) return malformed;
  const coding = headers["transfer-encoding"] ?? "chunked";
  return coding.trim().toLowerCase() === "chunked" ? undefined : encoded;
}

/** Refuses requests that Node reads in another way than their clients mean. */
const withoutSurprises =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    const complaint = complaintAbout(request);
    if (!complaint) return listener(request, response);
    secure(response);
    sendJson(response, 400, complaint, { "X-Request-Id": randomUUID(), Connection: "close" });
  };

/** Tracks open responses; while draining, each is the last one on its connection. */
function openAnswers() {
  const open = new Set<ServerResponse>();
  const latest = new WeakMap<Socket, ServerResponse>();
  let draining = false;
  const closeAfter = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader("Connection", "close");
  };
  return {
    add(response: ServerResponse): void {
      open.add(response);
      latest.set(response.req.socket, response);
      response.once("close", () => open.delete(response));
      if (draining) closeAfter(response);
    },
    /** Makes the response to a whole request that still has none the last on its connection. Reports whether there is one. */
    endWith(socket: Socket): boolean {
      const response = latest.get(socket);
      if (!response?.req.complete || response.headersSent || response.writableEnded) return false;
      closeAfter(response);
      return true;
    },
    /** Reports whether a connection has the beginning of a response, and waits for the rest. */
    hasBegun(socket: Socket): boolean {
      const { headersSent = false, writableEnded = true } = latest.get(socket) ?? {};
      return headersSent && !writableEnded;
    },
    drain(): void {
      draining = true;
      for (const response of open) closeAfter(response);
    },
    /** Resolves once every ended response has been sent: node considers their connections idle and would cut them. */
    async flushed(): Promise<void> {
      const unsent = () =>
        [...open].filter(({ writableEnded, writableFinished }) => writableEnded && !writableFinished);
      for (let [response] = unsent(); response; [response] = unsent()) await once(response, "close");
    },
    /** Closes connections after responses that began before the draining, such as streams. */
    closeWhenFinished(): void {
      for (const response of open) response.once("finish", () => response.req.socket.end());
    },
  };
}

interface HttpServer extends AsyncDisposable {
  readonly port: number;
  /** Makes every later response ask its client to reconnect, which leads it to another replica. */
  drain(): void;
}

/** Serves HTTP on host:port. Disposing closes the port, then every connection, after `stopGraceMs` at the latest. */
export async function serveHttp(
  listen: string,
  listener: RequestListener,
  config: Pick<Config, "stopGraceMs" | "maxConnections" | "connectionsPerAddress" | "trustedProxies">,
): Promise<HttpServer> {
  const server = createServer({
    // No limit for whole requests: an image may have 20 GiB.
    requestTimeout: 0,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: checkEveryMs,
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: keepAliveMs,
    // We do not need the Host header. Without this, Node would refuse requests that lack it with its own response.
    requireHostHeader: false,
  });
  server.maxConnections = config.maxConnections;
  // One more shows that there are too many.
  server.maxHeadersCount = maxHeaders + 1;
  server.on("connection", shareConnections(config));
  server.setTimeout(idleMs);
  const { add, endWith, hasBegun, drain, closeWhenFinished, flushed } = openAnswers();
  const begin = withoutSurprises(listener);
  // Node would refuse expectations other than 100-continue with a status that the API does not have.
  const answer = oneAfterAnother((request, response) => {
    add(response);
    begin(request, response);
  });
  server
    .on("request", answer)
    .on("checkExpectation", answer)
    .on("clientError", (error, socket: Socket) => {
      if (hasBegun(socket)) socket.destroySoon();
      else if (!endWith(socket)) refuse(error, socket);
    });
  const { host, port } = splitAddress(listen);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    drain,
    async [Symbol.asyncDispose]() {
      drain();
      closeWhenFinished();
      const force = setTimeout(() => server.closeAllConnections(), config.stopGraceMs);
      await flushed();
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(force);
    },
  };
}
