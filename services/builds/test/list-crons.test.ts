import { cronsOf } from "./_crons.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const suite = bootBuilds();
const crons = cronsOf(suite);
const names = async (...args: Parameters<typeof crons.list>) =>
  (await crons.list(...args)).crons.map(({ name }) => name);

beforeAll(async () => {
  const { ann, bob, eve } = suite.users;
  await crons.create(ann, { name: "b.own" });
  await crons.create(ann, { name: "C.own" });
  await crons.create(ann, { name: "a.team", manifest: `namespace: team/deep${manifest}` });
  const shown = await suite.accounts.aNamespace(ann, "shown");
  await suite.as(ann, () => suite.accounts.namespaces.updateNamespace({ id: shown.id, visibility: "public" }));
  await crons.create(ann, { name: "z.shown", manifest: `namespace: shown${manifest}` });
  await crons.invite(ann, await suite.accounts.aNamespace(ann, "team"), bob);
  for (let n = 10; n < 36; n++) await crons.create(eve, { name: `of-eve-${n}` });
});

describe("succeeds", () => {
  it("returns the caller's cron jobs and those of the caller's namespaces, by code point", async () => {
    expect(await names(suite.users.ann)).toEqual(["C.own", "a.team", "b.own", "z.shown"]);
    expect(await names(suite.users.bob)).toEqual(["a.team"]);
  });

  it("filters by part of a name, without wildcards", async () => {
    expect(await names(suite.users.ann, "c.O")).toEqual(["C.own"]);
    expect(await names(suite.users.ann, "cxo")).toEqual([]);
    expect(await names(suite.users.ann, ".OWN")).toEqual(["C.own", "b.own"]);
  });

  it("filters by part of the current name", async () => {
    const { id } = await crons.create(suite.users.bob, { name: "weekly" });
    await crons.update(suite.users.bob, { id, name: "Every Night" });
    expect(await names(suite.users.bob, "night")).toEqual(["Every Night"]);
    expect(await names(suite.users.bob, "weekly")).toEqual([]);
    await crons.remove(suite.users.bob, id);
  });

  it("returns 25 cron jobs a page", async () => {
    const first = await crons.list(suite.users.eve);
    expect([first.crons.length, first.page]).toEqual([25, { hasNext: true }]);
    const second = await crons.list(suite.users.eve, "", 2);
    expect([second.crons.map(({ name }) => name), second.page]).toEqual([["of-eve-35"], { hasNext: false }]);
    expect((await crons.list(suite.users.eve, "", 9)).page).toEqual({ hasNext: false, lastPage: 2 });
  });

  it("returns a namespace's cron job to all viewers of the namespace", async () => {
    const [team, shown] = (await crons.list(suite.users.ann, "team")).crons.concat(
      (await crons.list(suite.users.ann, "shown")).crons,
    );
    expect(await crons.get(suite.users.bob, team!.id)).toEqual(team);
    expect(await crons.get(suite.users.eve, shown!.id)).toEqual(shown);
  });
});

describe("not_found", () => {
  it("a cron job that the caller may not view gets not_found, as does one that does not exist", async () => {
    const { crons: found } = await crons.list(suite.users.ann);
    const own = found.find(({ name }) => name === "b.own")!;
    const team = found.find(({ name }) => name === "a.team")!;
    for (const [user, id] of [
      [suite.users.bob, own.id],
      [suite.users.eve, team.id],
      [suite.users.ann, 999_999],
    ] as const)
      expect(await fault(crons.get(user, id))).toMatchObject({ code: "not_found" });
  });
});
