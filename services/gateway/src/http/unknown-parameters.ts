import type { ServerResponse } from "node:http";
import { quoted } from "@ci/kit/rpc/fault";
import type { Row } from "./row.js";

/** Names that a response repeats. */
const maxNames = 5;

/** Names the parameters of a query that the route does not know, such as typing mistakes, in the header `Warning`. */
export function warnOfUnknown(
  { action: { query = {}, paged, file } }: Row,
  given: URLSearchParams,
  response: ServerResponse,
): void {
  const isKnown = (name: string) =>
    Object.hasOwn(query, name) || (paged && name === "page") || (file && name === "download");
  const unknown = [...new Set(given.keys())].filter((name) => !isKnown(name)).slice(0, maxNames);
  // Percent-encoded, because a header takes neither quotes nor other alphabets.
  const warnings = unknown.map((name) => `299 - "unknown parameter ${encodeURIComponent(quoted(name))}"`);
  if (warnings.length > 0) response.setHeader("Warning", warnings.join(", "));
}
