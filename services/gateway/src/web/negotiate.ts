import type { IncomingMessage, ServerResponse } from "node:http";
import Negotiator from "negotiator";
import type { Row } from "../http/row.js";

/** Reports whether a request would rather have a page than JSON, as browsers do when they navigate. */
export const prefersPage = (request: IncomingMessage): boolean =>
  /text\/html/i.test(request.headers.accept ?? "") &&
  new Negotiator(request).mediaType(["application/json", "text/html"]) === "text/html";

export const isReading = ({ method }: IncomingMessage): boolean => method === "GET" || method === "HEAD";

/** Reports whether a row's records are also pages: streams, raw content and files such as /openapi.json are not. */
export const hasPage = ({ method, path, action }: Row): boolean =>
  method === "GET" && action.returns !== undefined && !/\.\w+$/.test(path);

/** Tells caches that the response depends on Accept. */
export function varyByAccept(response: ServerResponse): void {
  const names = [response.getHeader("Vary") ?? []].flat();
  if (!names.includes("Accept")) response.appendHeader("Vary", "Accept");
}
