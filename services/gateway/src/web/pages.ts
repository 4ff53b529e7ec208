import type { IncomingMessage, ServerResponse } from "node:http";
import Negotiator from "negotiator";
import { wantsFile } from "../content/download.js";
import type { Handler } from "../http/exchange.js";
import type { Match } from "../http/match.js";
import { hasPage, isReading, prefersContent, prefersPage } from "../http/negotiate.js";
import { pathBelow } from "../http/path.js";
import { exchangeOf } from "../http/routed.js";
import { send } from "../http/send.js";
import type { Asset, Site } from "./site.js";

/** Pages that no record of the API has. */
const ownPages = new Set(["/-/sign-in", "/-/new-build"]);

const shellHeaders = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-cache",
  // With `no-referrer`, browsers would hide the origin of requests that change something.
  "Referrer-Policy": "same-origin",
  "Content-Security-Policy": [
    "default-src 'none'",
    ...["script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'", "font-src 'none'"],
    ...["form-action 'self'", "base-uri 'self'", "frame-ancestors 'none'"],
  ].join("; "),
};

const notModified = ({ headers }: IncomingMessage, etag: string): boolean =>
  (headers["if-none-match"] ?? "").split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);

function sendShell(
  { shell, etag }: Site,
  response: ServerResponse,
  status: number,
  more: Record<string, string>,
): void {
  response.appendHeader("Vary", "Accept");
  const headers = { ...shellHeaders, ...more, ETag: etag };
  if (status === 200 && notModified(response.req, etag)) send(response, 304, headers);
  else send(response, status, headers, shell);
}

function sendAsset({ type, plain, br, gzip }: Asset, response: ServerResponse): void {
  const accepted = new Negotiator(response.req).encodings(["br", "gzip", "identity"]);
  const bodies = { br, gzip, identity: plain };
  const encoding = (["br", "gzip"] as const).find((name) => accepted.includes(name) && bodies[name]) ?? "identity";
  response.appendHeader("Vary", "Accept-Encoding");
  const headers = {
    "Content-Type": type,
    "Cache-Control": "public, max-age=31536000, immutable",
    ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }),
  };
  send(response, 200, headers, bodies[encoding]);
}

interface PageAt {
  readonly status: number;
  readonly allow?: string;
}

/** Returns the status of the page at a path, with the methods of a path that cannot be read; undefined for none. */
function pageAt(path: string | undefined, found: Match, request: IncomingMessage): PageAt | undefined {
  if (path !== undefined && ownPages.has(path)) return { status: 200 };
  if (!found) return { status: 404 };
  if (!("row" in found)) return { status: 405, allow: found.allow.join(", ") };
  return hasPage(found.row) && !prefersContent(found.row, request) ? { status: 200 } : undefined;
}

/**
 * Sends the shell of the web page to browsers that navigate to a path of the API or to an unknown one, and its assets to
 * everyone. Passes other requests on, and all of them if the page was not built.
 */
export function pages(
  site: Site | undefined,
  basePath: string,
  match: (method: string, path: string) => Match,
): Handler {
  const assets = "/-/assets/";
  return (request, response, next) => {
    if (!site || !isReading(request)) return next();
    const exchange = exchangeOf(response);
    const path = pathBelow(basePath, exchange.url);
    const asset = path?.startsWith(assets) ? site.assets.get(path.slice(assets.length)) : undefined;
    if (asset) {
      exchange.shown = "asset";
      return sendAsset(asset, response);
    }
    if (!prefersPage(request) || wantsFile(exchange)) return next();
    const page = pageAt(path, path === undefined ? undefined : match("GET", path), request);
    if (!page) return next();
    exchange.shown = "page";
    sendShell(site, response, page.status, page.allow ? { Allow: page.allow } : {});
  };
}
