import { visibilities } from "@ci/rest/visibilities";
import type { Api } from "@ci/testkit/api";
import { addCollaborator, aPlace, type Place, removeCollaborator } from "./_access-place.js";
import { describeResponse } from "./_access-response.js";
import { table } from "./_access-rows.js";
import { sendRequest } from "./_access-send.js";
import { expectedAt, testTable, titleOf } from "./_access-suite.js";
import type { Role } from "./_access-table.js";

const trees = visibilities.flatMap((visibility) => [[visibility, "root"] as const, [visibility, "child"] as const]);
// access.test.ts has the private child.
const suite = testTable(trees.filter(([visibility, where]) => visibility !== "private" || where !== "child"));

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
          const api = await suite.crew.apiOf("former", row, request);
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

  test.each(["root", "child"])("a collaborator's removal, every permission is gone: %s", async (where) => {
    const place = await aPlace(suite.crew, suite.inbox, "private", where === "child");
    const rows = await preparedRows(place);
    const reads = rows.filter(({ row }) => row.method === "GET");
    // One route of each service is requested until the last moment, to keep permissions cached.
    const polledRows = reads.filter(({ row }) => ["/b/:/:", "/n/:/:/-/webhooks", "/images/:"].includes(row.path));
    await addCollaborator(suite.crew.owner, suite.crew.former, place.rootUrl!);
    await check(reads, "collaborator");
    let removed = false;
    const polling = (async () => {
      while (!removed) await Promise.all(polledRows.map(({ response }) => response()));
    })();
    await removeCollaborator(suite.crew.owner, suite.crew.former, place.rootUrl!);
    removed = true;
    await check(polledRows, "former");
    await check(rows, "former");
    await polling;
  });

  test("a change of visibility, other users can or cannot see a tree", async () => {
    const place = await aPlace(suite.crew, suite.inbox, "public", true);
    for (const [visibility, status, visible] of [
      ["private", 404, []],
      ["internal", 200, kinds],
      ["private", 404, []],
    ] as const) {
      expect((await suite.crew.owner.patch(place.rootUrl!, { visibility })).status).toBe(200);
      expect((await suite.crew.other.get(place.url!)).status).toBe(status);
      expect(await visibleTo(suite.crew.other, place)).toEqual(visible);
    }
  });

  test("a namespace's deletion, only the owner of each record sees it", async () => {
    const place = await aPlace(suite.crew, suite.inbox, "public", false);
    expect((await suite.crew.owner.delete(place.url!)).status).toBe(204);
    // The build was submitted by `former`.
    expect(await visibleTo(suite.crew.former, place)).toEqual(["build"]);
    expect(await visibleTo(suite.crew.owner, place)).toEqual(["variable", "key", "object", "image"]);
    for (const who of [suite.crew.collaborator, suite.crew.other, suite.crew.admin])
      expect(await visibleTo(who, place)).toEqual([]);
  });
});
