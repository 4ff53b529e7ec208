import { randomUUID } from "node:crypto";
import { AuditEntry } from "@ci/proto/namespaces/v1/audit";
import { connect } from "@ci/testkit/identities";
import { readEntry } from "../src/domain/entry.js";
import { buildStore } from "../src/store/builds.js";
import { cronsOf } from "./_crons.js";
import { bootBuilds, clients, fault, manifest } from "./_suite.js";

const suite = bootBuilds();
const crons = cronsOf(suite);
const run = async (user: (typeof suite.users)["ann"], id: number) =>
  (await suite.as(user, () => suite.crons.runCron({ id }))).build!;

describe("succeeds", () => {
  it("submits a build that is listed with the cron job's, and keeps the schedule", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann, { name: "release", schedule: "30 4 * * 1", timezone: "Europe/Berlin" });
    const first = await run(ann, cron.id);
    const second = await run(ann, cron.id);
    expect(first).toMatchObject({
      userId: ann.id,
      status: "queued",
      trigger: { type: "schedule", comment: "release: Run by ann", data: { username: "ann", run_by: "ann" } },
      queue: { reason: expect.any(String) },
    });
    expect(first.tags.map(({ name }) => name)).toEqual(["cron:release"]);
    expect((await crons.buildsOf(ann, cron.id)).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(await crons.get(ann, cron.id)).toEqual(cron);
    crons.advancePast(cron);
    expect((await crons.afterRun(ann, cron)).lastError).toBeUndefined();
    expect(await crons.buildsOf(ann, cron.id)).toHaveLength(3);
  });

  it("stores the request's entry of the audit log with the build", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann, { name: "audited" });
    const entry = AuditEntry.fromPartial({ id: randomUUID(), action: "runCron", status: 201 });
    const stored: (string | undefined)[] = [];
    const builds = buildStore(suite.database(), () => {});
    const insert: typeof builds.insert = (docs) => {
      stored.push(...docs.map(({ auditEntry }) => auditEntry));
      return builds.insert(docs);
    };
    await using service = await suite.startService({ builds: { ...builds, insert } });
    await using peer = connect(`127.0.0.1:${service.port}`);
    const { build, recorded } = await suite.as(ann, () => clients(peer).crons.runCron({ id: cron.id, entry }));
    expect(recorded).toBe(true);
    const record = `/b/${ann.username}/${build!.number}`;
    expect(stored.map((json) => readEntry(json!))).toMatchObject([{ id: entry.id, action: "runCron", record }]);
  });

  it("a collaborator's run belongs to the cron job's user, and gets only what the namespace owns", async () => {
    const { ann, bob } = suite.users;
    const namespace = await suite.accounts.aNamespace(ann, "shared");
    await crons.invite(ann, namespace, bob);
    const store = (user: typeof ann, key: string, path = "") =>
      suite.as(user, () =>
        suite.accounts.variables.createVariable({ namespace: path, key, value: "secret", mask: true }),
      );
    await Promise.all([store(ann, "ANNS"), store(bob, "BOBS"), store(ann, "SHARED", "shared")]);
    const cron = await crons.create(ann, { manifest: `namespace: shared${manifest}` });
    const { userId, number, trigger } = await run(bob, cron.id);
    expect([userId, trigger!.data.run_by]).toEqual([ann.id, "bob"]);
    const ref = { userId, number };
    const { variables } = await suite.as(ann, () => suite.builds.listBuildVariables({ ref, search: "" }));
    expect(variables.map(({ key }) => key)).toEqual(["SHARED"]);
  });
});

it("users without a right to change the cron job get not_found", async () => {
  const cron = await crons.create(suite.users.ann);
  expect(await fault(run(suite.users.eve, cron.id))).toMatchObject({ code: "not_found" });
  expect(await fault(run(suite.users.ann, 999_999))).toMatchObject({ code: "not_found" });
  expect(await crons.buildsOf(suite.users.ann, cron.id)).toEqual([]);
});

it("invalid if the manifest cannot be built, without a word in the cron job", async () => {
  const cron = await crons.create(suite.users.ann, { manifest: "driver: {type: qemu, image: none}" });
  expect(await fault(run(suite.users.ann, cron.id))).toMatchObject({
    code: "invalid",
    fields: { manifest: ["Manifest driver error: qemu - driver disabled"] },
  });
  expect(await crons.get(suite.users.ann, cron.id)).toEqual(cron);
});
