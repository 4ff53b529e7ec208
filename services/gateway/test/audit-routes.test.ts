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
let start: string;
beforeAll(async () => {
  start = new Date(Date.now() - 1).toISOString();
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

interface Entry {
  readonly request_id: string;
  readonly [field: string]: unknown;
}

/** Returns all entries since these tests began, by request. */
async function entriesByRequest(): Promise<Map<string, Entry[]>> {
  const entries: Entry[] = [];
  for (let page = 1, more = true; more; page++) {
    const { json, headers } = await ci.admin.get(`/audit?from=${start}&page=${page}`);
    entries.push(...json);
    more = headers.link?.includes('rel="next"') ?? false;
  }
  const byRequest = new Map<string, Entry[]>();
  for (const entry of entries) byRequest.set(entry.request_id, [...(byRequest.get(entry.request_id) ?? []), entry]);
  return byRequest;
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

describe("each request that changes something", () => {
  const users = ["no permission", "other", "owner", "admin"];
  const requests = new Map<TableRow, Awaited<ReturnType<typeof sendAs>>[]>();
  let entries: Map<string, Entry[]>;
  beforeAll(async () => {
    for (const row of changing) {
      // One user after the other, because a request may use up its target.
      const ofRow = [];
      for (const user of users) ofRow.push(await sendAs(row, user));
      requests.set(row, ofRow);
    }
    // The status of an entry follows the response.
    await eventually(async () => {
      entries = await entriesByRequest();
      for (const { requestId, status } of [...requests.values()].flat())
        expect(entries.get(requestId)).toMatchObject([{ status }]);
    });
  });

  test.each(withTitles(changing))("%s is recorded once, whether done or refused", (_, row) => {
    const { operation, action } = routeOf(row);
    for (const { requestId, status, path } of requests.get(row)!) {
      const [entry, ...more] = entries.get(requestId)!;
      expect(more).toEqual([]);
      expect(entry).toMatchObject({
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
      });
      expect(path.endsWith(entry!.path as string)).toBe(true);
      if (status < 300 && row.path.startsWith("/n/:/:")) expect(entry!.namespace).toMatch(/@/);
    }
  });
});

test("no route that only reads is recorded", async () => {
  const ids: string[] = [];
  for (const row of table.filter(({ method }) => method === "GET")) ids.push((await sendAs(row, "owner")).requestId);
  const entries = await entriesByRequest();
  expect(ids.filter((id) => entries.has(id))).toEqual([]);
});
