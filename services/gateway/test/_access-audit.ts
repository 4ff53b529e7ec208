/// <reference types="jest" />
import { eventually } from "@ci/testkit/eventually";
import { routes } from "../src/routes.js";
import { routeName, table } from "./_access-rows.js";
import type { SentRequest, Suite } from "./_access-suite.js";

interface Entry {
  readonly request_id: string;
  readonly [field: string]: unknown;
}

/** Returns all entries of the audit log, by request. */
async function entriesByRequest({ crew: { ci } }: Suite): Promise<Map<string, Entry[]>> {
  const byRequest = new Map<string, Entry[]>();
  for (let page = 1, more = true; more; page++) {
    const { json, headers } = await ci.admin.get(`/audit?page=${page}`);
    for (const entry of json as Entry[])
      byRequest.set(entry.request_id, [...(byRequest.get(entry.request_id) ?? []), entry]);
    more = headers.link?.includes('rel="next"') ?? false;
  }
  return byRequest;
}

const routeOf = ({ row }: SentRequest) => routes.find((route) => routeName(route) === routeName(row))!;

/** Returns what the audit log should say of a request. */
function expectedEntry(request: SentRequest) {
  const { row, path, status } = request;
  const { operation, action } = routeOf(request);
  return {
    actor: "user",
    username: expect.any(String),
    token_id: expect.any(Number),
    action: operation,
    kind: action.changes,
    method: row.method,
    path: new URL(path, "http://localhost").pathname.replace(/^\/api\//, "/"),
    address: "127.0.0.1",
    status,
    outcome: status < 400 ? "done" : "refused",
    ...(status < 300 && row.path.startsWith("/n/:/:") ? { namespace: expect.stringMatching(/@/) } : {}),
  };
}

/** Registers the tests of the audit log, after the table's: they check what those have sent. */
export function testAudit(suite: Suite): void {
  const onlyReads = ({ method, path }: SentRequest["row"]) => method === "GET" || path === "/manifests/check";
  const changesSomething = ({ row }: Pick<SentRequest, "row">) => !onlyReads(row) && row.permissions[0] !== "none";

  test("each request that changes something is recorded once, whether done or refused", async () => {
    const requests = suite.sent.filter((request) => changesSomething(request) && request.who !== "no token");
    // Every route has been requested, and says what it changes.
    const changing = table.filter((row) => changesSomething({ row }));
    expect(new Set(requests.map(({ row }) => row))).toEqual(new Set(changing));
    for (const request of requests) expect(routeOf(request).action.changes).toEqual(expect.any(String));
    // The status of an entry follows the response.
    await eventually(async () => {
      const entries = await entriesByRequest(suite);
      expect(requests.map(({ requestId }) => entries.get(requestId))).toEqual(
        requests.map((request) => [expect.objectContaining(expectedEntry(request))]),
      );
    });
  });

  test("no request that only reads is recorded", async () => {
    const reads = suite.sent.filter(({ row }) => row.method === "GET");
    expect(reads.length).toBeGreaterThan(100);
    const entries = await entriesByRequest(suite);
    expect(reads.filter(({ requestId }) => entries.has(requestId))).toEqual([]);
  });
}
