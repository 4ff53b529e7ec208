import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { splitAddress } from "@ci/kit/process/admin";

/** How long a client may take to send the head of a request. */
const headersTimeoutMs = 30_000;
/** A connection on which nothing moves for this long is closed; streams send something every 15 s. */
const silenceMs = 120_000;
/** Longer than load balancers keep their side open, so that they never write to a connection we have just closed. */
const keepAliveMs = 75_000;

/** What cannot even be read as HTTP is answered in the same form as everything else. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const body = JSON.stringify({ message: "Malformed request" });
  socket.end(
    [
      "HTTP/1.1 400 Bad Request",
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${body.length}`,
      `X-Request-Id: ${randomUUID()}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

/** Answers that are under way, and whether they are the last on their connections. */
function farewell() {
  const open = new Set<ServerResponse>();
  let leaving = false;
  const part = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader("Connection", "close");
  };
  return {
    meet(response: ServerResponse): void {
      open.add(response);
      response.once("close", () => open.delete(response));
      if (leaving) part(response);
    },
    leave(): void {
      leaving = true;
      for (const response of open) part(response);
    },
    /**
     * Resolves when no answer that has been given is still on its way out: node takes its connection for idle, and would
     * cut it.
     */
    async flushed(): Promise<void> {
      const onTheirWay = () =>
        [...open].filter(({ writableEnded, writableFinished }) => writableEnded && !writableFinished);
      for (let [one] = onTheirWay(); one; [one] = onTheirWay()) await once(one, "close");
    },
    /** Has connections end with answers that had begun before they could say so, such as streams. */
    hangUp(): void {
      for (const response of open) response.once("finish", () => response.req.socket.end());
    },
  };
}

/** A port that answers HTTP. */
export interface HttpServer extends AsyncDisposable {
  readonly port: number;
  /** From now on every answer asks its client to take another connection, which leads to somebody else. */
  leave(): void;
}

/** Serves HTTP on host:port. Disposing closes the port, then every connection, after `graceMs` at the latest. */
export async function serveHttp(listen: string, listener: RequestListener, graceMs: number): Promise<HttpServer> {
  const server = createServer({
    // No limit for whole requests: an image of 20 GiB takes as long as it takes.
    requestTimeout: 0,
    headersTimeout: headersTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    // Nothing here depends on the Host header; node would refuse a request without it in a form of its own.
    requireHostHeader: false,
  });
  server.setTimeout(silenceMs);
  const { meet, leave, hangUp, flushed } = farewell();
  server.on("request", (_request, response) => meet(response));
  server.on("checkExpectation", (_request, response) => meet(response));
  // Expectations other than 100-continue would be refused by node with a status that the API does not have.
  server.on("request", listener).on("checkExpectation", listener).on("clientError", refuse);
  const { host, port } = splitAddress(listen);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    leave,
    async [Symbol.asyncDispose]() {
      leave();
      hangUp();
      const force = setTimeout(() => server.closeAllConnections(), graceMs);
      await flushed();
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(force);
    },
  };
}
