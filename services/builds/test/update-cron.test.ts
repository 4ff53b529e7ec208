import { eventually } from "@ci/testkit/eventually";
import { nextRun } from "../src/domain/schedule.js";
import { cronsOn, dayMs } from "./_crons.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const on = bootBuilds();
const crons = cronsOn(on);
const inside = (namespace: string) => `namespace: ${namespace}${manifest}`;

/** A namespace of ann's in which bob works. */
async function shared(path: string) {
  const { ann, bob } = on.users;
  const namespace = await on.accounts.aNamespace(ann, path);
  await crons.invite(ann, namespace, bob);
  return namespace;
}

describe("answers", () => {
  it("the changed fields, and the rest as it was", async () => {
    const { ann } = on.users;
    const cron = await crons.create(ann);
    const renamed = await crons.update(ann, { id: cron.id, name: "renamed" });
    expect(renamed).toEqual({ ...cron, name: "renamed" });
    const text = `env: [A=1]${manifest}`;
    expect(await crons.update(ann, { id: cron.id, manifest: text })).toEqual({ ...renamed, manifest: text });
    expect(await crons.get(ann, cron.id)).toEqual({ ...renamed, manifest: text });
  });

  it("the next run anew when the schedule changes", async () => {
    const { ann } = on.users;
    const cron = await crons.create(ann);
    on.later(60_000);
    const monthly = await crons.update(ann, { id: cron.id, schedule: "monthly" });
    expect(monthly).toEqual({ ...cron, schedule: "monthly", nextRun: nextRun("monthly", on.now()) });
    const weekly = await crons.update(ann, { id: cron.id, schedule: "weekly" });
    expect(weekly).toEqual({ ...cron, schedule: "weekly", nextRun: nextRun("weekly", on.now()) });
  });

  it.each([{}, { name: "", schedule: "", manifest: "" }, { manifest: "driver:\nenv: []\njobs: {}\nnamespace: ''" }])(
    "the same record for %j, and tells nobody",
    async (empty) => {
      const { ann } = on.users;
      const cron = await crons.create(ann, { schedule: "weekly", manifest: inside("unchanged") });
      expect(await crons.update(ann, { id: cron.id, ...empty })).toEqual(cron);
      await crons.update(ann, { id: cron.id, name: `after ${cron.id}` });
      await eventually(() => expect(crons.told(cron.id).map(({ action }) => action)).toEqual(["created", "updated"]));
    },
  );

  it("to a collaborator, whose manifest means the same namespace with or without its owner", async () => {
    const { ann, bob } = on.users;
    const namespace = await shared("both");
    const cron = await crons.create(ann, { manifest: inside("both") });
    for (const name of ["both@ann", "both", "both@ANN"]) {
      const changed = await crons.update(bob, { id: cron.id, manifest: inside(name) });
      expect(changed).toEqual({ ...cron, manifest: inside(name) });
      expect(changed).toMatchObject({ namespaceId: namespace.id, authorId: ann.id });
    }
  });

  it("from a namespace to another, to one made on the fly, and to none, when its user says so", async () => {
    const { ann } = on.users;
    const cron = await crons.create(ann, { manifest: inside("first") });
    const second = await crons.update(ann, { id: cron.id, manifest: inside("second/made") });
    expect(second.namespaceId).toBe((await on.accounts.aNamespace(ann, "second/made")).id);
    const none = await crons.update(ann, { id: cron.id, manifest });
    expect(none).toEqual({ ...cron, manifest, namespaceId: undefined });
    expect(await crons.get(ann, cron.id)).toEqual(none);
  });

  it("with its own name, and with one that was given up", async () => {
    const { ann } = on.users;
    const cron = await crons.create(ann, { name: "kept" });
    expect(await crons.update(ann, { id: cron.id, name: "kept" })).toEqual(cron);
    await crons.update(ann, { id: cron.id, name: "left" });
    await crons.create(ann, { name: "kept" });
  });

  it("after the run that is due, which is that of the job as it was", async () => {
    const { ann } = on.users;
    const cron = await crons.create(ann, { name: "before" });
    crons.turnPast(cron);
    const due = cron.nextRun!;
    const changed = await crons.update(ann, { id: cron.id, name: "after", schedule: "monthly" });
    expect(changed.prevRun!.getTime()).toBeGreaterThanOrEqual(due.getTime());
    expect(changed.nextRun).toEqual(nextRun("monthly", changed.prevRun!));
    expect((await crons.madeBy(ann, cron.id)).map(({ tags }) => tags.map(({ name }) => name))).toEqual([
      ["cron:before"],
    ]);
  });
});

describe("invalid", () => {
  const fieldsOf = async (user: (typeof on.users)["ann"], ask: Parameters<typeof crons.update>[1]) =>
    (await fault(crons.update(user, ask))).fields;

  it("names all mistakes of all fields at once, and changes nothing", async () => {
    const { ann } = on.users;
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

  it("for a name that is taken where the manifest sends it", async () => {
    const { ann } = on.users;
    await crons.create(ann, { name: "same", manifest: inside("occupied") });
    const cron = await crons.create(ann, { name: "same" });
    const fields = await fieldsOf(ann, { id: cron.id, manifest: inside("occupied") });
    expect(fields).toEqual({ name: ["Name already exists"] });
    expect(await crons.update(ann, { id: cron.id, name: "other", manifest: inside("occupied") })).toMatchObject({
      name: "other",
    });
  });

  it("for a collaborator who sends it anywhere else, and nothing is made", async () => {
    const { ann, bob } = on.users;
    await shared("fixed");
    await on.accounts.aNamespace(ann, "secret");
    const cron = await crons.create(ann, { manifest: inside("fixed") });
    const elsewhere = [manifest, "secret", "brandnew", "fixed/child", "fixed@bob", "mine@bob"];
    await on.accounts.aNamespace(bob, "mine");
    for (const name of elsewhere)
      expect([name, await fieldsOf(bob, { id: cron.id, manifest: name === manifest ? name : inside(name) })]).toEqual([
        name,
        { manifest: ["Manifest cannot submit to namespace"] },
      ]);
    expect(await crons.get(ann, cron.id)).toEqual(cron);
    const { namespaces } = await on.as(ann, () => on.accounts.namespaces.listNamespaces({ search: "brandnew" }));
    expect(namespaces).toEqual([]);
  });

  it("for its user moving it to another user's namespace", async () => {
    const { ann, bob } = on.users;
    await shared("guest");
    const cron = await crons.create(bob, { manifest });
    for (const name of ["guest@ann", "guest/new@ann"])
      expect(await fieldsOf(bob, { id: cron.id, manifest: inside(name) })).toEqual({
        manifest: ["Manifest cannot submit to namespace"],
      });
    expect(await crons.get(bob, cron.id)).toEqual(cron);
    const { namespaces } = await on.as(ann, () => on.accounts.namespaces.listNamespaces({ search: "guest/new" }));
    expect(namespaces).toEqual([]);
  });

  it("gives a name once, however many take it at the same time", async () => {
    const { ann } = on.users;
    const rivals = await Promise.all(Array.from({ length: 6 }, () => crons.create(ann)));
    const asked = rivals.map(({ id }) => crons.update(ann, { id, name: "prize" }));
    const won = (await Promise.allSettled(asked)).filter(({ status }) => status === "fulfilled");
    expect(won).toHaveLength(1);
    expect((await crons.list(ann, "prize")).crons).toHaveLength(1);
  });
});

describe("not_found", () => {
  it("for viewers, for strangers and for what is not there", async () => {
    const { ann, eve } = on.users;
    const shown = await on.accounts.aNamespace(ann, "shown");
    await on.as(ann, () => on.accounts.namespaces.updateNamespace({ id: shown.id, visibility: "internal" }));
    const viewed = await crons.create(ann, { manifest: inside("shown") });
    const own = await crons.create(ann);
    expect(await crons.get(eve, viewed.id)).toEqual(viewed);
    for (const id of [viewed.id, own.id, 999_999])
      expect(await fault(crons.update(eve, { id, name: "" }))).toMatchObject({ code: "not_found" });
  });
});

describe("events", () => {
  it("reports the changed record to its namespace", async () => {
    const { ann, bob } = on.users;
    await shared("news");
    const cron = await crons.create(ann, { manifest: inside("news") });
    const changed = await crons.update(bob, { id: cron.id, schedule: "monthly", name: "for the news" });
    await eventually(() => expect(crons.told(cron.id)).toHaveLength(2));
    expect(crons.told(cron.id)[1]).toMatchObject({
      action: "updated",
      actorId: bob.id,
      namespaceId: cron.namespaceId,
      cron: changed,
    });
  });

  it("reports none for a run", async () => {
    const { ann } = on.users;
    const cron = await crons.create(ann, { manifest: inside("quiet") });
    on.later(dayMs);
    await crons.ranOn(ann, cron);
    await crons.remove(ann, cron.id);
    await eventually(() => expect(crons.told(cron.id).map(({ action }) => action)).toEqual(["created", "deleted"]));
  });
});
