/// <reference types="jest" />
import { randomUUID } from "node:crypto";
import type { Visibility } from "@ci/rest/visibilities";
import { constellation } from "@ci/testkit/constellation";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { aCrew, type Crew } from "./_access-crew.js";
import { aPlace, type Place, placeWithoutNamespace } from "./_access-place.js";
import { describeResponse } from "./_access-response.js";
import { routeName, table } from "./_access-rows.js";
import { sendRequest } from "./_access-send.js";
import type { TableRequest, TableRow } from "./_access-table.js";

export const titleOf = (row: TableRow) => `${routeName(row)} ${row.variant}`.trim();

/** Returns the expected responses to all users. */
export function expectedAt(row: TableRow, place: Place): Record<string, string> {
  const answers = row.audience(place);
  const [first = ""] = row.permissions;
  const noToken = first === "none" ? answers.other : "401";
  const noPermission = first === "none" || first === "any" ? answers.owner : `403 ${first.split(" ")[0]}`;
  return { "no token": noToken, "no permission": noPermission, ...answers };
}

/** Returns the real responses to all users. Refused requests are sent first, because others may change the record. */
async function responsesAt(row: TableRow, place: Place, sent: SentRequest[]): Promise<Record<string, string>> {
  const expected = expectedAt(row, place);
  const responses: Record<string, string> = {};
  let request: TableRequest | undefined;
  for (const who of Object.keys(expected).sort((a, b) => expected[b]!.localeCompare(expected[a]!))) {
    request ??= await row.request(place);
    const api = await place.crew.apiOf(who, row, request);
    const requestId = randomUUID();
    const headers = { ...request.headers, "X-Request-Id": requestId };
    const response = await sendRequest(api, row.method, { ...request, headers });
    sent.push({ row, who, requestId, path: request.path, status: response.status });
    responses[who] = describeResponse(response, request);
    // The request may have used up its target, so each gets a new one.
    if (row.method !== "GET" && responses[who].startsWith("2")) request = undefined;
  }
  return responses;
}

/** A request that the table's tests have sent. */
export interface SentRequest {
  readonly row: TableRow;
  readonly who: string;
  readonly requestId: string;
  readonly path: string;
  readonly status: number;
}

/** What the tests of a file share, once they run. */
export interface Suite {
  readonly crew: Crew;
  readonly inbox: Receiver;
  readonly trees: readonly Place[];
  /** Grows with each test of the table. */
  readonly sent: readonly SentRequest[];
}

/**
 * Registers a test for each row of the table, with the requests of all users in trees of these visibilities, roots and
 * children, and without a namespace. Call it once per file.
 */
export function testTable(kinds: readonly (readonly [Visibility, "root" | "child"])[]): Suite {
  const ci = constellation({ runner: true, settings: { RUNNER_BUILDS: "4" } });
  const sent: SentRequest[] = [];
  const suite = { sent } as unknown as { -readonly [K in keyof Suite]: Suite[K] };
  let places: readonly Place[];
  beforeAll(async () => {
    const inbox = await receiver();
    const crew = await aCrew(ci);
    const trees = await Promise.all(
      kinds.map(([visibility, depth]) => aPlace(crew, inbox, visibility, depth === "child")),
    );
    Object.assign(suite, { inbox, crew, trees });
    places = [...trees, await placeWithoutNamespace(crew, inbox)];
  });
  afterAll(() => suite.inbox?.[Symbol.asyncDispose]());

  /** Rows that need a namespace are tested only in trees. */
  const placesFor = (row: TableRow) => (/^\/(n\/:|invites)/.test(row.path) ? suite.trees : places);

  test.each(table.map((row) => [titleOf(row), row] as const))("%s", async (_, row) => {
    const where = placesFor(row);
    // Places run in parallel: they share no records.
    const responses = await Promise.all(where.map(async (place) => [place.label, await responsesAt(row, place, sent)]));
    const expected = where.map((place) => [place.label, expectedAt(row, place)]);
    expect(Object.fromEntries(responses)).toEqual(Object.fromEntries(expected));
  });
  return suite;
}
