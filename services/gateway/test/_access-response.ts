import { isDeepStrictEqual } from "node:util";
import type { ApiResponse } from "@ci/testkit/api";
import type { TableRequest } from "./_access-table.js";

/** The bodies that the contract (2.1) fixes for a status. */
const errorBodies: Readonly<Record<number, object>> = {
  401: { message: "Unauthorized" },
  404: { message: "Not Found" },
};

/** Returns the text of a table cell for a 400 with one complaint. */
export const complaint = (field: string, message: string) => `400 ${JSON.stringify({ [field]: [message] })}`;

/** Returns the text of a table cell for a response. If the body violates the contract, this is the whole response. */
export function describeResponse(response: ApiResponse, request: TableRequest): string {
  const { status, json, text, headers } = response;
  if (status >= 400) return describeRefusal(response);
  if (status === 204) return text === "" ? "204" : `204 ${text}`;
  if (headers["content-type"] === "image/svg+xml")
    return `${status} ${/: unknown<\/title>/.test(text) ? "unknown" : "known"}`;
  if (request.content !== undefined) return `${status} ${text.includes(request.content) ? "content" : text}`;
  if (request.id === undefined || !Array.isArray(json)) return `${status}`;
  return `${status} ${json.some(({ id }: { id: number }) => id === request.id) ? "listed" : "not listed"}`;
}

function describeRefusal({ status, json, text, headers }: ApiResponse): string {
  const full = `${status} ${text}`;
  if (status === 403) {
    const permission = /^Token lacks permission (\S+)$/.exec(json?.message)?.[1];
    return permission && Object.keys(json).length === 1 ? `403 ${permission}` : full;
  }
  if (!isDeepStrictEqual(json, errorBodies[status])) return full;
  return status === 401 && headers["www-authenticate"] !== "Bearer" ? `${full} without challenge` : `${status}`;
}
