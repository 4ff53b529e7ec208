import { eventually } from "@ci/testkit/eventually";
import { nextRun } from "../src/domain/schedule.js";
import { cronsOn } from "./_crons.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const on = bootBuilds();
const crons = cronsOn(on);

describe("answers", () => {
  it("a daily job of the caller's own", async () => {
    const { ann } = on.users;
    const before = on.now();
    const cron = await crons.create(ann, { name: "nightly" });
    expect(cron).toEqual({
      id: expect.any(Number),
      authorId: ann.id,
      userId: ann.id,
      name: "nightly",
      schedule: "daily",
      manifest,
      nextRun: nextRun("daily", cron.createdAt!),
      createdAt: expect.any(Date),
    });
    expect(cron.createdAt!.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(await crons.get(ann, cron.id)).toEqual(cron);
  });

  it.each(["weekly", "monthly"] as const)("a %s one", async (schedule) => {
    const cron = await crons.create(on.users.ann, { schedule });
    expect(cron).toMatchObject({ schedule, nextRun: nextRun(schedule, cron.createdAt!) });
  });

  it("in a namespace that is made on the fly", async () => {
    const cron = await crons.create(on.users.ann, { manifest: `namespace: made/here${manifest}` });
    const namespace = await on.accounts.aNamespace(on.users.ann, "made/here");
    expect(cron).toMatchObject({ namespaceId: namespace.id, userId: on.users.ann.id });
  });

  it("in another user's namespace, whose owner then owns the cron job", async () => {
    const { ann, bob } = on.users;
    await crons.invite(ann, await on.accounts.aNamespace(ann, "team"), bob);
    const cron = await crons.create(bob, { manifest: `namespace: team/deeper@ann${manifest}` });
    const namespace = await on.accounts.aNamespace(ann, "team/deeper");
    expect(cron).toMatchObject({ namespaceId: namespace.id, userId: ann.id, authorId: bob.id });
  });

  it("with a driver that is not enabled: that is for the run to find out", async () => {
    const text = "driver: {type: qemu, image: debian}\n";
    expect(await crons.create(on.users.ann, { manifest: text })).toMatchObject({ manifest: text });
  });

  it("with a name that is taken elsewhere only", async () => {
    const { ann, bob } = on.users;
    await crons.create(ann, { name: "here and there" });
    await crons.create(bob, { name: "here and there" });
    await crons.create(ann, { name: "here and there", manifest: `namespace: elsewhere${manifest}` });
    await crons.create(ann, { name: "Here and there" });
  });
});

describe("invalid", () => {
  const fieldsOf = async (ask: Parameters<typeof crons.create>[1], user = on.users.ann) =>
    (await fault(crons.create(user, ask))).fields;

  it("names all mistakes of all fields at once", async () => {
    await crons.create(on.users.ann, { name: "once" });
    expect(await fieldsOf({ name: "", schedule: "hourly", manifest: "" })).toEqual({
      name: ["Name field required"],
      schedule: ["Schedule invalid schedule hourly"],
      manifest: ["Manifest field required"],
    });
    expect(await fieldsOf({ name: "once", schedule: "Daily", manifest: "driver: {type: ssh}\nenv: [1BAD]" })).toEqual({
      name: ["Name already exists"],
      schedule: ["Schedule invalid schedule Daily"],
      manifest: ["Manifest invalid driver specified ssh", "Manifest env invalid entry 1BAD"],
    });
    expect(await fieldsOf({ name: "x".repeat(256), manifest: "namespace: _a" })).toEqual({
      name: ["Name cannot be longer than 255 characters in length"],
      manifest: [
        "Manifest invalid driver specified",
        "Manifest _a: namespace: name can only contain letters, numbers, dots, dashes, and underscores, and begin with a letter or number",
      ],
    });
  });

  it("for a namespace where the caller only looks on, and for one that may not be known", async () => {
    const { ann, eve } = on.users;
    const seen = await on.accounts.aNamespace(ann, "seen");
    await on.as(ann, () => on.accounts.namespaces.updateNamespace({ id: seen.id, visibility: "internal" }));
    await on.accounts.aNamespace(ann, "hidden");
    for (const name of ["seen@ann", "hidden@ann", "none@ann"])
      expect(await fieldsOf({ manifest: `namespace: ${name}${manifest}` }, eve)).toEqual({
        manifest: ["Manifest cannot submit to namespace"],
      });
  });

  it("makes nothing when anything is wrong", async () => {
    await fieldsOf({ name: "", manifest: `namespace: untouched${manifest}` }, on.users.eve);
    const { namespaces } = await on.as(on.users.eve, () => on.accounts.namespaces.listNamespaces({ search: "" }));
    expect(namespaces).toEqual([]);
  });

  it("gives a name once, however many ask for it at the same time", async () => {
    const text = `namespace: crowded${manifest}`;
    const asked = Array.from({ length: 8 }, () => crons.create(on.users.ann, { name: "wanted", manifest: text }));
    const made = (await Promise.allSettled(asked)).map((one) =>
      one.status === "fulfilled" ? "made" : one.reason.fields,
    );
    expect(made.filter((one) => one === "made")).toHaveLength(1);
    expect(made.filter((one) => one !== "made")).toEqual(
      Array.from({ length: 7 }, () => ({ name: ["Name already exists"] })),
    );
  });
});

describe("events", () => {
  it("reports the new job to its namespace", async () => {
    const { ann } = on.users;
    const cron = await crons.create(ann, { manifest: `namespace: told${manifest}` });
    await eventually(() => expect(crons.told(cron.id)).toHaveLength(1));
    expect(crons.told(cron.id)[0]).toMatchObject({
      kind: "cron",
      action: "created",
      actorId: ann.id,
      namespaceId: cron.namespaceId,
      cron,
    });
  });

  it("reports one without namespace to nobody's webhooks", async () => {
    const cron = await crons.create(on.users.ann);
    await eventually(() => expect(crons.told(cron.id)).toHaveLength(1));
    expect(crons.told(cron.id)[0]).toMatchObject({ namespaceId: undefined, actorId: on.users.ann.id });
  });
});
