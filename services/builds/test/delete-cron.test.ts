import { eventually } from "@ci/testkit/eventually";
import { cronsOf, dayMs } from "./_crons.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const suite = bootBuilds();
const crons = cronsOf(suite);

describe("succeeds", () => {
  it("a deleted cron job is neither found nor listed, and its name is free", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann, { name: "short-lived" });
    await crons.remove(ann, cron.id);
    expect(await fault(crons.get(ann, cron.id))).toMatchObject({ code: "not_found" });
    expect((await crons.list(ann, "short-lived")).crons).toEqual([]);
    const again = await crons.create(ann, { name: "short-lived" });
    expect(again.id).not.toBe(cron.id);
  });

  it("a deleted cron job makes no more builds, and its earlier builds stay", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann);
    const witness = await crons.create(ann);
    suite.advanceClock(dayMs);
    await crons.afterRun(ann, cron);
    const builds = await crons.buildsOf(ann, cron.id);
    expect(builds).toHaveLength(1);
    await crons.remove(ann, cron.id);
    const before = await crons.afterRun(ann, witness);
    suite.advanceClock(dayMs);
    await crons.afterRun(ann, before);
    expect((await crons.buildsOf(ann, cron.id)).map(({ id }) => id)).toEqual(builds.map(({ id }) => id));
  });

  it("a collaborator may delete a cron job", async () => {
    const { ann, bob } = suite.users;
    await crons.invite(ann, await suite.accounts.aNamespace(ann, "team"), bob);
    const cron = await crons.create(ann, { manifest: `namespace: team${manifest}` });
    await crons.remove(bob, cron.id);
    expect(await fault(crons.get(ann, cron.id))).toMatchObject({ code: "not_found" });
  });
});

describe("not_found", () => {
  it("viewers, outsiders and a repeated deletion get not_found", async () => {
    const { ann, eve } = suite.users;
    const shown = await suite.accounts.aNamespace(ann, "shown");
    await suite.as(ann, () => suite.accounts.namespaces.updateNamespace({ id: shown.id, visibility: "public" }));
    const viewed = await crons.create(ann, { manifest: `namespace: shown${manifest}` });
    const own = await crons.create(ann);
    for (const { id } of [viewed, own]) expect(await fault(crons.remove(eve, id))).toMatchObject({ code: "not_found" });
    await crons.remove(ann, own.id);
    expect(await fault(crons.remove(ann, own.id))).toMatchObject({ code: "not_found" });
  });
});

describe("events", () => {
  it("the event of a deletion has the last record", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann, { manifest: `namespace: told${manifest}` });
    await crons.remove(ann, cron.id);
    await eventually(() => expect(crons.events(cron.id)).toHaveLength(2));
    expect(crons.events(cron.id)[1]).toMatchObject({
      action: "deleted",
      actorId: ann.id,
      namespaceId: cron.namespaceId,
      cron,
    });
  });
});
