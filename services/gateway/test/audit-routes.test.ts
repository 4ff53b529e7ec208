import { randomUUID } from "node:crypto";
import { constellation } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { routes } from "../src/routes.js";
import { aCrew, type Crew } from "./_access-crew.js";
import { aPlace, type Place } from "./_access-place.js";
import { routeName, table } from "./_access-rows.js";
import { sendRequest } from "./_access-send.js";
import type { TableRequest, TableRow } from "./_access-table.js";

// This file sends hundreds of requests. No test depends on time.
jest.setTimeout(300_000);

const ci = constellation({ runner: true, settings: { RUNNER_BUILDS: "4" } });
let inbox: Receiver;
let crew: Crew;
let place: Place;
beforeAll(async () => {
  inbox = await receiver();
  crew = await aCrew(ci);
  place = await aPlace(crew, inbox, "private", false);
});
afterAll(() => inbox?.[Symbol.asyncDispose]());

/** Sends a request of the table with a unique request id. */
async function sendAs(row: TableRow, who: string) {
  const request: TableRequest = await row.request(place);
  const api = await crew.apiOf(who, row, request);
  const requestId = randomUUID();
  const { status } = await sendRequest(api, row.method, {
    ...request,
    headers: { ...request.headers, "X-Request-Id": requestId },
  });
  return { requestId, status, path: ci.url.replace(/^http:\/\/[^/]+/, "") + request.path.split("?")[0] };
}

/** Returns the entries of a request. The newest two pages hold them. */
async function entriesOf(requestId: string) {
  const pages = await Promise.all(["/audit", "/audit?page=2"].map((path) => ci.admin.get(path)));
  return pages.flatMap(({ json }) => json.filter((entry: { request_id: string }) => entry.request_id === requestId));
}

const changing = table.filter(({ method, permissions }) => method !== "GET" && permissions[0] !== "none");
const withTitles = (rows: readonly TableRow[]) =>
  rows.map((row) => [`${routeName(row)} ${row.variant}`.trim(), row] as const);
const routeOf = (row: TableRow) => routes.find((route) => routeName(route) === routeName(row))!;

test("the rows below include every route that changes something", () => {
  const auditedRoutes = routes.filter(({ method, permission }) => method !== "GET" && permission !== "none");
  expect(auditedRoutes.length).toBeGreaterThan(30);
  expect(new Set(changing.map(routeName))).toEqual(new Set(auditedRoutes.map(routeName)));
  for (const { operation, action } of auditedRoutes)
    expect([operation, action.changes]).toEqual([operation, expect.any(String)]);
});

test.each(withTitles(changing))("%s is recorded once, whether done or refused", async (_, row) => {
  for (const who of ["no permission", "other", "owner", "admin"]) {
    const { requestId, status, path } = await sendAs(row, who);
    const entries = await eventually(async () => {
      const found = await entriesOf(requestId);
      expect(found).toMatchObject([{ status }]);
      return found;
    });
    const { operation, action } = routeOf(row);
    expect(entries).toEqual([
      expect.objectContaining({
        actor: "user",
        username: expect.any(String),
        token_id: expect.any(Number),
        action: operation,
        kind: action.changes,
        method: row.method,
        path: expect.stringMatching(/^\//),
        address: "127.0.0.1",
        status,
        outcome: status < 400 ? "done" : "refused",
      }),
    ]);
    expect(path.endsWith(entries[0].path)).toBe(true);
    if (status < 300 && row.path.startsWith("/n/:/:")) expect(entries[0].namespace).toMatch(/@/);
  }
});

test("no route that only reads is recorded", async () => {
  const ids = new Set<string>();
  const from = new Date(Date.now() - 1).toISOString();
  for (const row of table.filter(({ method }) => method === "GET")) ids.add((await sendAs(row, "owner")).requestId);
  const found: string[] = [];
  for (let page = 1, more = true; more; page++) {
    const { json, headers } = await ci.admin.get(`/audit?from=${from}&page=${page}`);
    found.push(...json.map((entry: { request_id: string }) => entry.request_id));
    more = headers.link?.includes('rel="next"') ?? false;
  }
  expect(found.filter((id) => ids.has(id))).toEqual([]);
});
