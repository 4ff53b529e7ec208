import type { IncomingMessage, ServerResponse } from "node:http";
import Negotiator from "negotiator";
import type { Row } from "./row.js";

/** Reports whether a request would rather have a page than JSON, as browsers do when they navigate, without a token. */
export const prefersPage = (request: IncomingMessage): boolean =>
  !/^bearer /i.test(request.headers.authorization ?? "") &&
  /text\/html/i.test(request.headers.accept ?? "") &&
  new Negotiator(request).mediaType(["application/json", "text/html"]) === "text/html";

export const isReading = ({ method }: IncomingMessage): boolean => method === "GET" || method === "HEAD";

const isStream = ({ media }: Row["action"]): boolean => media?.every((type) => type === "text/event-stream") ?? false;

/** Reports whether a row has a page: records and streams do; raw content, files such as /openapi.json and /health do not. */
export const hasPage = ({ method, path, action }: Row): boolean =>
  method === "GET" && (action.returns !== undefined || isStream(action)) && !action.unlimited && !/\.\w+$/.test(path);

/** Reports whether a client names one type, as those do that want the content of a record. No browser does. */
const namesOneType = ({ headers }: IncomingMessage): boolean => !headers.accept?.includes(",");

/** Reports whether a request that would rather have a page than JSON wants what else the row offers. */
export const prefersContent = (row: Row, request: IncomingMessage): boolean => {
  if (isStream(row.action))
    return new Negotiator(request).mediaType(["text/event-stream", "text/html"]) !== "text/html";
  return row.action.media !== undefined && namesOneType(request);
};

/** Tells caches that the response depends on Accept. */
export function varyByAccept(response: ServerResponse): void {
  const names = [response.getHeader("Vary") ?? []].flat();
  if (!names.includes("Accept")) response.appendHeader("Vary", "Accept");
}
