import { randomUUID } from "node:crypto";
import type { Log } from "@ci/kit/process/log";
import { requestSeconds } from "../metrics.js";
import { type Cors, crossOrigin } from "./cors.js";
import type { Handler } from "./exchange.js";
import { openExchange, type Routed } from "./routed.js";
import { secure } from "./security.js";

const validId = /^[A-Za-z0-9_-]{1,64}$/;
const traceparent = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

const matching = (value: string | string[] | undefined, pattern: RegExp): string | undefined =>
  typeof value === "string" && pattern.test(value) ? value : undefined;

/** Returns the path and query of a request, whatever form its target has. */
const targetOf = (url: string): string => (url.startsWith("/") ? url : url.replace(/^[a-z]+:\/\/[^/?]*/i, "") || "/");

/** Opens the exchange: gives it an id, sets the security and CORS headers, and logs and measures its end. */
export const requestId =
  (log: Log, cors: Cors): Handler =>
  (request, response, next) => {
    const { headers, method, url = "/" } = request;
    const id = matching(headers["x-request-id"], validId) ?? randomUUID();
    const exchange: Routed = {
      request,
      response,
      url: targetOf(url),
      caller: { requestId: id, traceparent: matching(headers.traceparent, traceparent) },
    };
    openExchange(exchange);
    response.setHeader("X-Request-Id", id);
    secure(response);
    crossOrigin(cors, request, response);
    const from = performance.now();
    response.once("close", () => {
      const { found, session, shown } = exchange;
      const ms = performance.now() - from;
      const route = found?.row.path ?? shown ?? "none";
      // Clients must not be able to create labels.
      const label = found || shown ? method : "other";
      requestSeconds.observe({ method: label, route, status: response.statusCode }, ms / 1_000);
      const aborted = response.writableFinished ? undefined : true;
      log.info(
        {
          requestId: id,
          userId: session?.user.id,
          method,
          route,
          status: response.statusCode,
          ms: Math.round(ms),
          aborted,
        },
        "request",
      );
    });
    next();
  };
