import type { IncomingMessage, ServerResponse } from "node:http";
import Negotiator from "negotiator";
import type { Row } from "../http/row.js";

/** Reports whether a request would rather have a page than JSON, as browsers do when they navigate. */
export const prefersPage = (request: IncomingMessage): boolean =>
  /text\/html/i.test(request.headers.accept ?? "") &&
  new Negotiator(request).mediaType(["application/json", "text/html"]) === "text/html";

export const isReading = ({ method }: IncomingMessage): boolean => method === "GET" || method === "HEAD";

/** Reports whether a row has nothing but a stream. */
const isStream = ({ action: { media } }: Row): boolean => media?.every((type) => type === "text/event-stream") ?? false;

/** Reports whether a row has a page: records and streams do, raw content and files such as /openapi.json do not. */
export const hasPage = (row: Row): boolean =>
  row.method === "GET" && (row.action.returns !== undefined || isStream(row)) && !/\.\w+$/.test(row.path);

/** Reports whether a client names one type, as those do that want the content of a record. No browser does. */
const namesOneType = ({ headers }: IncomingMessage): boolean => !headers.accept?.includes(",");

/** Reports whether a request that would rather have a page than JSON wants what else the row offers. */
export const prefersContent = (row: Row, request: IncomingMessage): boolean => {
  if (isStream(row)) return new Negotiator(request).mediaType(["text/event-stream", "text/html"]) !== "text/html";
  return row.action.media !== undefined && namesOneType(request);
};

/** Tells caches that the response depends on Accept. */
export function varyByAccept(response: ServerResponse): void {
  const names = [response.getHeader("Vary") ?? []].flat();
  if (!names.includes("Accept")) response.appendHeader("Vary", "Accept");
}
