import { eventually } from "@ci/testkit/eventually";
import { cronsOn, dayMs } from "./_crons.js";
import { bootBuilds, fault, manifest } from "./_suite.js";

const on = bootBuilds();
const crons = cronsOn(on);

describe("answers", () => {
  it("and it is gone: not there, not in lists, its name free", async () => {
    const { ann } = on.users;
    const cron = await crons.create(ann, { name: "short-lived" });
    await crons.remove(ann, cron.id);
    expect(await fault(crons.get(ann, cron.id))).toMatchObject({ code: "not_found" });
    expect((await crons.list(ann, "short-lived")).crons).toEqual([]);
    const again = await crons.create(ann, { name: "short-lived" });
    expect(again.id).not.toBe(cron.id);
  });

  it("and it makes no build any more, while those it has made stay", async () => {
    const { ann } = on.users;
    const cron = await crons.create(ann);
    const witness = await crons.create(ann);
    on.later(dayMs);
    await crons.ranOn(ann, cron);
    const made = await crons.madeBy(ann, cron.id);
    expect(made).toHaveLength(1);
    await crons.remove(ann, cron.id);
    const before = await crons.ranOn(ann, witness);
    on.later(dayMs);
    await crons.ranOn(ann, before);
    expect((await crons.madeBy(ann, cron.id)).map(({ id }) => id)).toEqual(made.map(({ id }) => id));
  });

  it("to a collaborator", async () => {
    const { ann, bob } = on.users;
    await crons.invite(ann, await on.accounts.aNamespace(ann, "team"), bob);
    const cron = await crons.create(ann, { manifest: `namespace: team${manifest}` });
    await crons.remove(bob, cron.id);
    expect(await fault(crons.get(ann, cron.id))).toMatchObject({ code: "not_found" });
  });
});

describe("not_found", () => {
  it("for viewers, for strangers and the second time", async () => {
    const { ann, eve } = on.users;
    const shown = await on.accounts.aNamespace(ann, "shown");
    await on.as(ann, () => on.accounts.namespaces.updateNamespace({ id: shown.id, visibility: "public" }));
    const viewed = await crons.create(ann, { manifest: `namespace: shown${manifest}` });
    const own = await crons.create(ann);
    for (const { id } of [viewed, own]) expect(await fault(crons.remove(eve, id))).toMatchObject({ code: "not_found" });
    await crons.remove(ann, own.id);
    expect(await fault(crons.remove(ann, own.id))).toMatchObject({ code: "not_found" });
  });
});

describe("events", () => {
  it("reports the deletion with the record as it was", async () => {
    const { ann } = on.users;
    const cron = await crons.create(ann, { manifest: `namespace: told${manifest}` });
    await crons.remove(ann, cron.id);
    await eventually(() => expect(crons.told(cron.id)).toHaveLength(2));
    expect(crons.told(cron.id)[1]).toMatchObject({
      action: "deleted",
      actorId: ann.id,
      namespaceId: cron.namespaceId,
      cron,
    });
  });
});
