import { visibilities } from "@ci/rest/visibilities";
import type { Api } from "@ci/testkit/api";
import { constellation } from "@ci/testkit/constellation";
import { type Receiver, receiver } from "@ci/testkit/receiver";
import { routes } from "../src/routes.js";
import { ask } from "./_access-ask.js";
import { aCrew, type Crew } from "./_access-crew.js";
import { line, table } from "./_access-lines.js";
import { aPlace, join, leave, noPlace, type Place } from "./_access-place.js";
import { seen } from "./_access-seen.js";
import type { Asked, Expected, Role } from "./_access-table.js";

// Every test sends hundreds of requests, and none is about time.
jest.setTimeout(300_000);

const ci = constellation({ runner: true, settings: { RUNNER_BUILDS: "4" } });
let inbox: Receiver;
let crew: Crew;
let trees: readonly Place[];
let places: readonly Place[];
beforeAll(async () => {
  inbox = await receiver();
  crew = await aCrew(ci);
  const made = visibilities.flatMap((one) => [aPlace(crew, inbox, one, false), aPlace(crew, inbox, one, true)]);
  trees = await Promise.all(made);
  places = [...trees, await noPlace(crew, inbox)];
});
afterAll(() => inbox?.[Symbol.asyncDispose]());

/** The expected answers to all users at a place. */
function expectedAt(row: Expected, place: Place): Record<string, string> {
  const answers = row.audience(place);
  const [first = ""] = row.permissions;
  const noToken = first === "none" ? answers.other : "401";
  const lacking = first === "none" || first === "any" ? answers.owner : `403 ${first}`;
  return { "no token": noToken, "no permission": lacking, ...answers };
}

/** The real answers to all users. Refused requests are sent first: the others may change the record. */
async function answersAt(row: Expected, place: Place): Promise<Record<string, string>> {
  const wanted = expectedAt(row, place);
  const got: Record<string, string> = {};
  let asked: Asked | undefined;
  for (const who of Object.keys(wanted).sort((a, b) => wanted[b]!.localeCompare(wanted[a]!))) {
    asked ??= await row.ask(place);
    const api = await place.crew.as(who, row, asked);
    got[who] = seen(await ask(api, row.method, asked), asked);
    // The request may have used up its target, so each gets a new one.
    if (row.method !== "GET" && got[who].startsWith("2")) asked = undefined;
  }
  return got;
}

/** Rows that need a namespace are tested only in trees. */
const wherePossible = (row: Expected) => (/^\/(n\/:|invites)/.test(row.path) ? trees : places);

test("the table has a line for every route, and no others", () => {
  expect([...new Set(table.map(line))].sort()).toEqual(routes.map(line).sort());
});

const titleOf = (row: Expected) => `${line(row)} ${row.variant}`.trim();

test.each(table.map((row) => [titleOf(row), row] as const))("%s", async (_, row) => {
  const where = wherePossible(row);
  // Places run in parallel: they share no records.
  const got = await Promise.all(where.map(async (place) => [place.label, await answersAt(row, place)]));
  const wanted = where.map((place) => [place.label, expectedAt(row, place)]);
  expect(Object.fromEntries(got)).toEqual(Object.fromEntries(wanted));
});

describe("immediately after", () => {
  const kinds = ["build", "variable", "key", "object", "image"] as const;
  const urlOf = ({ records }: Place, kind: (typeof kinds)[number]) =>
    kind === "build" ? records.finished.url : `/${kind}s/${records[kind].id}`;
  /** Returns which records of a place a user sees; the others must be not found. */
  async function visibleTo(who: Api, place: Place) {
    const visible: string[] = [];
    for (const kind of kinds) {
      const { status } = await who.get(urlOf(place, kind));
      expect([200, 404]).toContain(status);
      if (status === 200) visible.push(kind);
    }
    return visible;
  }

  /** The lines whose answer depends on being a collaborator, as requests of a former one. */
  const linesOf = (place: Place) =>
    Promise.all(
      table
        .filter((row) => row.audience(place).collaborator !== row.audience(place).former)
        .map(async (row) => {
          const asked = await row.ask(place);
          const api = await crew.as("former", row, asked);
          const answer = async () => [titleOf(row), seen(await ask(api, row.method, asked), asked)];
          const wanted = (who: Role) => [titleOf(row), expectedAt(row, place)[who]];
          return { row, answer, wanted };
        }),
    );
  type Line = Awaited<ReturnType<typeof linesOf>>[number];
  const check = async (some: readonly Line[], who: Role) =>
    expect(await Promise.all(some.map(({ answer }) => answer()))).toEqual(some.map(({ wanted }) => wanted(who)));

  test.each(["private root", "private child"])(
    "a collaborator's removal, every permission is gone: %s",
    async (where) => {
      const place = trees.find(({ label }) => label === where)!;
      const lines = await linesOf(place);
      const reads = lines.filter(({ row }) => row.method === "GET");
      // One of each service, requested until the last moment: that keeps permissions cached.
      const often = reads.filter(({ row }) => ["/b/:/:", "/n/:/:/-/webhooks", "/images/:"].includes(row.path));
      await join(crew.owner, crew.former, place.rootUrl!);
      await check(reads, "collaborator");
      let over = false;
      const asking = (async () => {
        while (!over) await Promise.all(often.map(({ answer }) => answer()));
      })();
      await leave(crew.owner, crew.former, place.rootUrl!);
      over = true;
      await check(often, "former");
      await check(lines, "former");
      await asking;
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
