import { eventually } from "@ci/testkit/eventually";
import { nextRun } from "../src/domain/schedule.js";
import { cronsOf } from "./_crons.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const suite = bootBuilds();
const crons = cronsOf(suite);

describe("succeeds", () => {
  it("creates a daily cron job of the caller", async () => {
    const { ann } = suite.users;
    const before = suite.now();
    const cron = await crons.create(ann, { name: "nightly" });
    expect(cron).toEqual({
      id: expect.any(Number),
      authorId: ann.id,
      userId: ann.id,
      name: "nightly",
      schedule: "daily",
      manifest,
      nextRun: nextRun({ schedule: "daily" }, cron.createdAt!),
      createdAt: expect.any(Date),
    });
    expect(cron.createdAt!.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(await crons.get(ann, cron.id)).toEqual(cron);
  });

  it.each(["weekly", "monthly"] as const)("creates a %s cron job", async (schedule) => {
    const cron = await crons.create(suite.users.ann, { schedule });
    expect(cron).toMatchObject({ schedule, nextRun: nextRun({ schedule }, cron.createdAt!) });
  });

  it("creates the namespace that the manifest names", async () => {
    const cron = await crons.create(suite.users.ann, { manifest: `namespace: made/here${manifest}` });
    const namespace = await suite.accounts.aNamespace(suite.users.ann, "made/here");
    expect(cron).toMatchObject({ namespaceId: namespace.id, userId: suite.users.ann.id });
  });

  it("a cron job in another user's namespace belongs to the namespace's owner", async () => {
    const { ann, bob } = suite.users;
    await crons.invite(ann, await suite.accounts.aNamespace(ann, "team"), bob);
    const cron = await crons.create(bob, { manifest: `namespace: team/deeper@ann${manifest}` });
    const namespace = await suite.accounts.aNamespace(ann, "team/deeper");
    expect(cron).toMatchObject({ namespaceId: namespace.id, userId: ann.id, authorId: bob.id });
  });

  it("accepts a driver that is not enabled; only the run reports it", async () => {
    const text = "driver: {type: qemu, image: debian}\n";
    expect(await crons.create(suite.users.ann, { manifest: text })).toMatchObject({ manifest: text });
  });

  it("accepts a name that only other users or other namespaces use", async () => {
    const { ann, bob } = suite.users;
    await crons.create(ann, { name: "here and there" });
    await crons.create(bob, { name: "here and there" });
    await crons.create(ann, { name: "here and there", manifest: `namespace: elsewhere${manifest}` });
    await crons.create(ann, { name: "Here and there" });
  });
});

describe("invalid", () => {
  const fieldsOf = async (request: Parameters<typeof crons.create>[1], user = suite.users.ann) =>
    (await fault(crons.create(user, request))).fields;

  it("one response lists all mistakes of all fields", async () => {
    await crons.create(suite.users.ann, { name: "once" });
    expect(await fieldsOf({ name: "", schedule: "yearly", manifest: "" })).toEqual({
      name: ["Name field required"],
      schedule: ["Schedule invalid schedule yearly"],
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

  it("a namespace that the caller may only view is rejected like a hidden or missing one", async () => {
    const { ann, eve } = suite.users;
    const visible = await suite.accounts.aNamespace(ann, "seen");
    await suite.as(ann, () => suite.accounts.namespaces.updateNamespace({ id: visible.id, visibility: "internal" }));
    await suite.accounts.aNamespace(ann, "hidden");
    for (const name of ["seen@ann", "hidden@ann", "none@ann"])
      expect(await fieldsOf({ manifest: `namespace: ${name}${manifest}` }, eve)).toEqual({
        manifest: ["Manifest cannot submit to namespace"],
      });
  });

  it("an invalid request creates no namespace", async () => {
    await fieldsOf({ name: "", manifest: `namespace: untouched${manifest}` }, suite.users.eve);
    const { namespaces } = await suite.as(suite.users.eve, () =>
      suite.accounts.namespaces.listNamespaces({ search: "" }),
    );
    expect(namespaces).toEqual([]);
  });

  it("eight concurrent requests for one name: one succeeds, seven report that the name exists", async () => {
    const text = `namespace: crowded${manifest}`;
    const requests = Array.from({ length: 8 }, () => crons.create(suite.users.ann, { name: "wanted", manifest: text }));
    const outcomes = (await Promise.allSettled(requests)).map((outcome) =>
      outcome.status === "fulfilled" ? "created" : outcome.reason.fields,
    );
    expect(outcomes.filter((outcome) => outcome === "created")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome !== "created")).toEqual(
      Array.from({ length: 7 }, () => ({ name: ["Name already exists"] })),
    );
  });
});

describe("events", () => {
  it("the event of a new cron job names its namespace", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann, { manifest: `namespace: told${manifest}` });
    await eventually(() => expect(crons.events(cron.id)).toHaveLength(1));
    expect(crons.events(cron.id)[0]).toMatchObject({
      kind: "cron",
      action: "created",
      actorId: ann.id,
      namespaceId: cron.namespaceId,
      cron,
    });
  });

  it("the event of a cron job without a namespace names no namespace", async () => {
    const cron = await crons.create(suite.users.ann);
    await eventually(() => expect(crons.events(cron.id)).toHaveLength(1));
    expect(crons.events(cron.id)[0]).toMatchObject({ namespaceId: undefined, actorId: suite.users.ann.id });
  });
});
