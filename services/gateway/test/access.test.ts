import { visibilities } from "@ci/rest/visibilities";
import type { Api } from "@ci/testkit/api";
import { constellation } from "@ci/testkit/constellation";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { routes } from "../src/routes.js";
import { aCrew, type Crew } from "./_access-crew.js";
import { addCollaborator, aPlace, type Place, placeWithoutNamespace, removeCollaborator } from "./_access-place.js";
import { describeResponse } from "./_access-response.js";
import { routeName, table } from "./_access-rows.js";
import { sendRequest } from "./_access-send.js";
import type { Role, TableRequest, TableRow } from "./_access-table.js";

// Every test sends hundreds of requests. No test depends on time.
jest.setTimeout(300_000);

const ci = constellation({ runner: true, settings: { RUNNER_BUILDS: "4" } });
let inbox: Receiver;
let crew: Crew;
let trees: readonly Place[];
let places: readonly Place[];
beforeAll(async () => {
  inbox = await receiver();
  crew = await aCrew(ci);
  const creating = visibilities.flatMap((one) => [aPlace(crew, inbox, one, false), aPlace(crew, inbox, one, true)]);
  trees = await Promise.all(creating);
  places = [...trees, await placeWithoutNamespace(crew, inbox)];
});
afterAll(() => inbox?.[Symbol.asyncDispose]());

/** Returns the expected responses to all users. */
function expectedAt(row: TableRow, place: Place): Record<string, string> {
  const answers = row.audience(place);
  const [first = ""] = row.permissions;
  const noToken = first === "none" ? answers.other : "401";
  const noPermission = first === "none" || first === "any" ? answers.owner : `403 ${first}`;
  return { "no token": noToken, "no permission": noPermission, ...answers };
}

/** Returns the real responses to all users. Refused requests are sent first, because others may change the record. */
async function responsesAt(row: TableRow, place: Place): Promise<Record<string, string>> {
  const expected = expectedAt(row, place);
  const responses: Record<string, string> = {};
  let request: TableRequest | undefined;
  for (const who of Object.keys(expected).sort((a, b) => expected[b]!.localeCompare(expected[a]!))) {
    request ??= await row.request(place);
    const api = await place.crew.apiOf(who, row, request);
    responses[who] = describeResponse(await sendRequest(api, row.method, request), request);
    // The request may have used up its target, so each gets a new one.
    if (row.method !== "GET" && responses[who].startsWith("2")) request = undefined;
  }
  return responses;
}

/** Rows that need a namespace are tested only in trees. */
const placesFor = (row: TableRow) => (/^\/(n\/:|invites)/.test(row.path) ? trees : places);

test("the table has rows for every route, and no others", () => {
  expect([...new Set(table.map(routeName))].sort()).toEqual(routes.map(routeName).sort());
});

const titleOf = (row: TableRow) => `${routeName(row)} ${row.variant}`.trim();

test.each(table.map((row) => [titleOf(row), row] as const))("%s", async (_, row) => {
  const where = placesFor(row);
  // Places run in parallel: they share no records.
  const responses = await Promise.all(where.map(async (place) => [place.label, await responsesAt(row, place)]));
  const expected = where.map((place) => [place.label, expectedAt(row, place)]);
  expect(Object.fromEntries(responses)).toEqual(Object.fromEntries(expected));
});

describe("immediately after", () => {
  const kinds = ["build", "variable", "key", "object", "image"] as const;
  const urlOf = ({ records }: Place, kind: (typeof kinds)[number]) =>
    kind === "build" ? records.finished.url : `/${kind}s/${records[kind].id}`;
  /** Returns the kinds of the records that a user sees. Checks that the others are not found. */
  async function visibleTo(who: Api, place: Place) {
    const visible: string[] = [];
    for (const kind of kinds) {
      const { status } = await who.get(urlOf(place, kind));
      expect([200, 404]).toContain(status);
      if (status === 200) visible.push(kind);
    }
    return visible;
  }

  /** Prepares the rows whose response depends on being a collaborator, as requests of `former`. */
  const preparedRows = (place: Place) =>
    Promise.all(
      table
        .filter((row) => row.audience(place).collaborator !== row.audience(place).former)
        .map(async (row) => {
          const request = await row.request(place);
          const api = await crew.apiOf("former", row, request);
          const response = async () => [
            titleOf(row),
            describeResponse(await sendRequest(api, row.method, request), request),
          ];
          const expected = (who: Role) => [titleOf(row), expectedAt(row, place)[who]];
          return { row, response, expected };
        }),
    );
  type PreparedRow = Awaited<ReturnType<typeof preparedRows>>[number];
  const check = async (rows: readonly PreparedRow[], who: Role) =>
    expect(await Promise.all(rows.map(({ response }) => response()))).toEqual(
      rows.map(({ expected }) => expected(who)),
    );

  test.each(["private root", "private child"])(
    "a collaborator's removal, every permission is gone: %s",
    async (where) => {
      const place = trees.find(({ label }) => label === where)!;
      const rows = await preparedRows(place);
      const reads = rows.filter(({ row }) => row.method === "GET");
      // One route of each service is requested until the last moment, to keep permissions cached.
      const polledRows = reads.filter(({ row }) => ["/b/:/:", "/n/:/:/-/webhooks", "/images/:"].includes(row.path));
      await addCollaborator(crew.owner, crew.former, place.rootUrl!);
      await check(reads, "collaborator");
      let removed = false;
      const polling = (async () => {
        while (!removed) await Promise.all(polledRows.map(({ response }) => response()));
      })();
      await removeCollaborator(crew.owner, crew.former, place.rootUrl!);
      removed = true;
      await check(polledRows, "former");
      await check(rows, "former");
      await polling;
    },
  );

  test("a change of visibility, other users can or cannot see a tree", async () => {
    const place = await aPlace(crew, inbox, "public", true);
    for (const [visibility, status, visible] of [
      ["private", 404, []],
      ["internal", 200, kinds],
      ["private", 404, []],
    ] as const) {
      expect((await crew.owner.patch(place.rootUrl!, { visibility })).status).toBe(200);
      expect((await crew.other.get(place.url!)).status).toBe(status);
      expect(await visibleTo(crew.other, place)).toEqual(visible);
    }
  });

  test("a namespace's deletion, only the owner of each record sees it", async () => {
    const place = await aPlace(crew, inbox, "public", false);
    expect((await crew.owner.delete(place.url!)).status).toBe(204);
    // The build was submitted by `former`.
    expect(await visibleTo(crew.former, place)).toEqual(["build"]);
    expect(await visibleTo(crew.owner, place)).toEqual(["variable", "key", "object", "image"]);
    for (const who of [crew.collaborator, crew.other, crew.admin]) expect(await visibleTo(who, place)).toEqual([]);
  });
});
