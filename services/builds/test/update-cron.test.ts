import { eventually } from "@ci/testkit/eventually";
import { nextRun } from "../src/domain/schedule.js";
import { cronsOf, dayMs } from "./_crons.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const suite = bootBuilds();
const crons = cronsOf(suite);
const inside = (namespace: string) => `namespace: ${namespace}${manifest}`;

/** Creates a namespace of ann's with bob as a collaborator. */
async function shared(path: string) {
  const { ann, bob } = suite.users;
  const namespace = await suite.accounts.aNamespace(ann, path);
  await crons.invite(ann, namespace, bob);
  return namespace;
}

describe("succeeds", () => {
  it("changes the given fields and keeps the others", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann);
    const renamed = await crons.update(ann, { id: cron.id, name: "renamed" });
    expect(renamed).toEqual({ ...cron, name: "renamed" });
    const text = `env: [A=1]${manifest}`;
    expect(await crons.update(ann, { id: cron.id, manifest: text })).toEqual({ ...renamed, manifest: text });
    expect(await crons.get(ann, cron.id)).toEqual({ ...renamed, manifest: text });
  });

  it("a new schedule sets the next run", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann);
    suite.advanceClock(60_000);
    const monthly = await crons.update(ann, { id: cron.id, schedule: "monthly" });
    expect(monthly).toEqual({ ...cron, schedule: "monthly", nextRun: nextRun({ schedule: "monthly" }, suite.now()) });
    const weekly = await crons.update(ann, { id: cron.id, schedule: "weekly" });
    expect(weekly).toEqual({ ...cron, schedule: "weekly", nextRun: nextRun({ schedule: "weekly" }, suite.now()) });
  });

  it("an expression or a time zone sets the next run", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann);
    const custom = await crons.update(ann, { id: cron.id, schedule: "30 4 * * 1" });
    const timing = { schedule: "custom", expression: "30 4 * * 1" } as const;
    expect(custom).toEqual({ ...cron, ...timing, nextRun: nextRun(timing, suite.now()) });
    const tokyo = { ...timing, timezone: "Asia/Tokyo" };
    const moved = await crons.update(ann, { id: cron.id, timezone: "Asia/Tokyo" });
    expect(moved).toEqual({ ...cron, ...tokyo, nextRun: nextRun(tokyo, suite.now()) });
    const word = { schedule: "daily", timezone: "Asia/Tokyo" } as const;
    const daily = await crons.update(ann, { id: cron.id, schedule: "daily" });
    expect(daily).toEqual({ ...cron, ...word, nextRun: nextRun(word, suite.now()) });
  });

  it.each([{}, { name: "", schedule: "", manifest: "" }, { manifest: "driver:\nenv: []\njobs: {}\nnamespace: ''" }])(
    "%j changes nothing and publishes no event",
    async (empty) => {
      const { ann } = suite.users;
      const cron = await crons.create(ann, { schedule: "weekly", manifest: inside("unchanged") });
      expect(await crons.update(ann, { id: cron.id, ...empty })).toEqual(cron);
      await crons.update(ann, { id: cron.id, name: `after ${cron.id}` });
      await eventually(() => expect(crons.events(cron.id).map(({ action }) => action)).toEqual(["created", "updated"]));
    },
  );

  it("a collaborator's manifest may name the namespace with or without its owner", async () => {
    const { ann, bob } = suite.users;
    const namespace = await shared("both");
    const cron = await crons.create(ann, { manifest: inside("both") });
    for (const name of ["both@ann", "both", "both@ANN"]) {
      const changed = await crons.update(bob, { id: cron.id, manifest: inside(name) });
      expect(changed).toEqual({ ...cron, manifest: inside(name) });
      expect(changed).toMatchObject({ namespaceId: namespace.id, authorId: ann.id });
    }
  });

  it("its user moves a cron job to another, a new or no namespace", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann, { manifest: inside("first") });
    const second = await crons.update(ann, { id: cron.id, manifest: inside("second/made") });
    expect(second.namespaceId).toBe((await suite.accounts.aNamespace(ann, "second/made")).id);
    const none = await crons.update(ann, { id: cron.id, manifest });
    expect(none).toEqual({ ...cron, manifest, namespaceId: undefined });
    expect(await crons.get(ann, cron.id)).toEqual(none);
  });

  it("a cron job may keep its name, and a name it gives up is free", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann, { name: "kept" });
    expect(await crons.update(ann, { id: cron.id, name: "kept" })).toEqual(cron);
    await crons.update(ann, { id: cron.id, name: "left" });
    await crons.create(ann, { name: "kept" });
  });

  it("a due run comes before the update and uses the old values", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann, { name: "before" });
    crons.advancePast(cron);
    const due = cron.nextRun!;
    const changed = await crons.update(ann, { id: cron.id, name: "after", schedule: "monthly" });
    expect(changed.prevRun!.getTime()).toBeGreaterThanOrEqual(due.getTime());
    expect(changed.nextRun).toEqual(nextRun({ schedule: "monthly" }, changed.prevRun!));
    expect((await crons.buildsOf(ann, cron.id)).map(({ tags }) => tags.map(({ name }) => name))).toEqual([
      ["cron:before"],
    ]);
  });
});

describe("invalid", () => {
  const fieldsOf = async (user: (typeof suite.users)["ann"], request: Parameters<typeof crons.update>[1]) =>
    (await fault(crons.update(user, request))).fields;

  it("one response lists all mistakes of all fields, and nothing changes", async () => {
    const { ann } = suite.users;
    await crons.create(ann, { name: "taken" });
    const cron = await crons.create(ann);
    const wrong = { id: cron.id, name: "taken", schedule: "yearly", manifest: "env: [1BAD]" };
    expect(await fieldsOf(ann, wrong)).toEqual({
      name: ["Name already exists"],
      schedule: ["Schedule invalid schedule yearly"],
      manifest: ["Manifest invalid driver specified", "Manifest env invalid entry 1BAD"],
    });
    expect(await fieldsOf(ann, { id: cron.id, name: "x".repeat(256), manifest: "a: [" })).toEqual({
      name: ["Name cannot be longer than 255 characters in length"],
      manifest: [expect.stringMatching(/^Manifest invalid YAML: /)],
    });
    expect(await crons.get(ann, cron.id)).toEqual(cron);
  });

  it("rejects a name that is taken in the manifest's namespace", async () => {
    const { ann } = suite.users;
    await crons.create(ann, { name: "same", manifest: inside("occupied") });
    const cron = await crons.create(ann, { name: "same" });
    const fields = await fieldsOf(ann, { id: cron.id, manifest: inside("occupied") });
    expect(fields).toEqual({ name: ["Name already exists"] });
    expect(await crons.update(ann, { id: cron.id, name: "other", manifest: inside("occupied") })).toMatchObject({
      name: "other",
    });
  });

  it("a collaborator cannot move the cron job elsewhere, and no namespace is created", async () => {
    const { ann, bob } = suite.users;
    await shared("fixed");
    await suite.accounts.aNamespace(ann, "secret");
    const cron = await crons.create(ann, { manifest: inside("fixed") });
    const elsewhere = [manifest, "secret", "brandnew", "fixed/child", "fixed@bob", "mine@bob"];
    await suite.accounts.aNamespace(bob, "mine");
    for (const name of elsewhere)
      expect([name, await fieldsOf(bob, { id: cron.id, manifest: name === manifest ? name : inside(name) })]).toEqual([
        name,
        { manifest: ["Manifest cannot submit to namespace"] },
      ]);
    expect(await crons.get(ann, cron.id)).toEqual(cron);
    const { namespaces } = await suite.as(ann, () => suite.accounts.namespaces.listNamespaces({ search: "brandnew" }));
    expect(namespaces).toEqual([]);
  });

  it("its user cannot move it to another user's namespace", async () => {
    const { ann, bob } = suite.users;
    await shared("guest");
    const cron = await crons.create(bob, { manifest });
    for (const name of ["guest@ann", "guest/new@ann"])
      expect(await fieldsOf(bob, { id: cron.id, manifest: inside(name) })).toEqual({
        manifest: ["Manifest cannot submit to namespace"],
      });
    expect(await crons.get(bob, cron.id)).toEqual(cron);
    const { namespaces } = await suite.as(ann, () => suite.accounts.namespaces.listNamespaces({ search: "guest/new" }));
    expect(namespaces).toEqual([]);
  });

  it("six concurrent updates to one name: one succeeds", async () => {
    const { ann } = suite.users;
    const rivals = await Promise.all(Array.from({ length: 6 }, () => crons.create(ann)));
    const updates = rivals.map(({ id }) => crons.update(ann, { id, name: "prize" }));
    const succeeded = (await Promise.allSettled(updates)).filter(({ status }) => status === "fulfilled");
    expect(succeeded).toHaveLength(1);
    expect((await crons.list(ann, "prize")).crons).toHaveLength(1);
  });
});

describe("not_found", () => {
  it("viewers and outsiders get not_found, as does a cron job that does not exist", async () => {
    const { ann, eve } = suite.users;
    const shown = await suite.accounts.aNamespace(ann, "shown");
    await suite.as(ann, () => suite.accounts.namespaces.updateNamespace({ id: shown.id, visibility: "internal" }));
    const viewed = await crons.create(ann, { manifest: inside("shown") });
    const own = await crons.create(ann);
    expect(await crons.get(eve, viewed.id)).toEqual(viewed);
    for (const id of [viewed.id, own.id, 999_999])
      expect(await fault(crons.update(eve, { id, name: "" }))).toMatchObject({ code: "not_found" });
  });
});

describe("events", () => {
  it("the event has the changed record and its namespace", async () => {
    const { ann, bob } = suite.users;
    await shared("news");
    const cron = await crons.create(ann, { manifest: inside("news") });
    const changed = await crons.update(bob, { id: cron.id, schedule: "monthly", name: "for the news" });
    await eventually(() => expect(crons.events(cron.id)).toHaveLength(2));
    expect(crons.events(cron.id)[1]).toMatchObject({
      action: "updated",
      actorId: bob.id,
      namespaceId: cron.namespaceId,
      cron: changed,
    });
  });

  it("a run publishes no event of the cron job", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann, { manifest: inside("quiet") });
    suite.advanceClock(dayMs);
    await crons.afterRun(ann, cron);
    await crons.remove(ann, cron.id);
    await eventually(() => expect(crons.events(cron.id).map(({ action }) => action)).toEqual(["created", "deleted"]));
  });
});
