import { CronServiceDefinition } from "@ci/proto/builds/v1/crons";
import { eventually } from "@ci/testkit/eventually";
import { connect } from "@ci/testkit/identities";
import { nextRun } from "../src/domain/schedule.js";
import { firingCrons } from "../src/loops/fire-crons.js";
import { cronStore } from "../src/store/crons.js";
import { cronsOf, dayMs } from "./_crons.js";
import { bootBuilds, manifest } from "./_suite.js";

const suite = bootBuilds({ drivers: ["os"] });
const crons = cronsOf(suite);
const inside = (namespace: string, text = manifest) => `namespace: ${namespace}${text}`;

const variables = async (user: (typeof suite.users)["ann"], number: number) => {
  const ref = { userId: user.id, number };
  const { variables: found } = await suite.as(user, () => suite.builds.listBuildVariables({ ref, search: "" }));
  return found.map(({ key, value }) => [key, value]);
};

describe("a due run", () => {
  it("makes one build for the cron job's user, in the cron job's namespace", async () => {
    const { ann, bob } = suite.users;
    const namespace = await suite.accounts.aNamespace(ann, "team");
    await crons.invite(ann, namespace, bob);
    const cron = await crons.create(bob, { name: "every single day", manifest: inside("team@ann") });
    crons.advancePast(cron, 5);
    const after = await crons.afterRun(ann, cron);
    const [build, ...more] = await crons.buildsOf(ann, cron.id);
    expect(more).toEqual([]);
    const next = nextRun({ schedule: "daily" }, build!.createdAt!);
    expect(build).toMatchObject({
      userId: ann.id,
      namespaceId: namespace.id,
      manifest: inside("team@ann"),
      status: "queued",
      trigger: {
        type: "schedule",
        comment: `every single day: Scheduled build, next run ${next.toISOString()}`,
        data: { email: "ann@example.com", username: "ann" },
      },
    });
    expect(build!.tags).toMatchObject([{ name: "cron:every-single-day", userId: ann.id }]);
    expect(after).toEqual({ ...cron, prevRun: build!.createdAt, nextRun: next });
    await eventually(() => expect(suite.kinds(build!.id)).toEqual(["build.submitted"]));
    expect(suite.events.find(({ buildId }) => buildId === build!.id)).toMatchObject({
      actorId: undefined,
      namespaceId: namespace.id,
      seq: 1,
    });
    expect((await crons.buildsOf(bob, cron.id)).map(({ id }) => id)).toEqual([build!.id]);
    expect(await crons.buildsOf(suite.users.eve, cron.id)).toEqual([]);
  });

  it("makes a build that a runner can claim", async () => {
    const { eve } = suite.users;
    const cron = await crons.create(eve);
    crons.advancePast(cron);
    await crons.afterRun(eve, cron);
    const [build] = await crons.buildsOf(eve, cron.id);
    await eventually(async () => expect((await suite.claim())?.buildId).toBe(build!.id));
  });

  it("uses the namespace's variables in a namespace, and the user's own outside", async () => {
    const { ann } = suite.users;
    const make = (namespace: string, key: string, value: string) =>
      suite.as(ann, () => suite.accounts.variables.createVariable({ namespace, key, value, mask: false }));
    await make("", "OWN", "hers");
    await make("stocked", "SHARED", "theirs");
    const shared = await crons.create(ann, { manifest: inside("stocked", `\nenv: [M=here]${manifest}`) });
    const own = await crons.create(ann);
    suite.advanceClock(dayMs);
    await Promise.all([crons.afterRun(ann, shared), crons.afterRun(ann, own)]);
    const [inNamespace] = await crons.buildsOf(ann, shared.id);
    const [without] = await crons.buildsOf(ann, own.id);
    expect(await variables(ann, inNamespace!.number)).toEqual([
      ["M", "here"],
      ["SHARED", "theirs"],
    ]);
    expect(await variables(ann, without!.number)).toEqual([["OWN", "hers"]]);
  });

  it("makes one build for all runs that were missed", async () => {
    const { bob } = suite.users;
    const jobs = await Promise.all(
      (["daily", "weekly", "monthly"] as const).map((schedule) => crons.create(bob, { schedule })),
    );
    suite.advanceClock(100 * dayMs);
    for (const cron of jobs) {
      const after = await crons.afterRun(bob, cron);
      const builds = await crons.buildsOf(bob, cron.id);
      expect(builds).toHaveLength(1);
      expect(after).toMatchObject({
        prevRun: builds[0]!.createdAt,
        nextRun: nextRun(cron, builds[0]!.createdAt!),
      });
      expect(after.nextRun! > suite.now()).toBe(true);
    }
  });

  it("is scheduled from the previous run", async () => {
    const { bob } = suite.users;
    let cron = await crons.create(bob, { schedule: "monthly" });
    for (let run = 1; run <= 4; run++) {
      crons.advancePast(cron);
      const after = await crons.afterRun(bob, cron);
      expect(after.nextRun).toEqual(nextRun({ schedule: "monthly" }, cron.nextRun!));
      expect(await crons.buildsOf(bob, cron.id)).toHaveLength(run);
      cron = after;
    }
  });
});

describe("a run that cannot make a build", () => {
  it("stores the error, and the next run may succeed", async () => {
    const { ann } = suite.users;
    const cron = await crons.create(ann, { manifest: "driver: {type: docker, image: a, workspace: /w}\n" });
    suite.advanceClock(dayMs);
    const after = await crons.afterRun(ann, cron);
    const lastError = "Manifest driver error: docker - driver disabled";
    expect(after).toEqual({ ...cron, nextRun: expect.any(Date), lastError });
    expect(after.nextRun! > suite.now()).toBe(true);
    expect(await crons.buildsOf(ann, cron.id)).toEqual([]);
    const mended = await crons.update(ann, { id: cron.id, manifest });
    expect(mended.lastError).toBe(lastError);
    suite.advanceClock(dayMs);
    const { lastError: none, prevRun } = await crons.afterRun(ann, mended);
    const [build] = await crons.buildsOf(ann, cron.id);
    expect([none, prevRun]).toEqual([undefined, build!.createdAt]);
  });

  it("uses up no build number", async () => {
    const user = await suite.accounts.aUser("numbers");
    const cron = await crons.create(user, { manifest: "driver: {type: qemu, image: a}\n" });
    suite.advanceClock(dayMs);
    await crons.afterRun(user, cron);
    expect((await suite.submit(user)).number).toBe(1);
  });
});

it("two services make one build per run", async () => {
  const { eve } = suite.users;
  const second = await suite.startService();
  const jobs = await Promise.all(Array.from({ length: 20 }, () => crons.create(eve)));
  suite.advanceClock(dayMs);
  for (const cron of jobs) await crons.afterRun(eve, cron);
  const runs = await Promise.all(jobs.map((cron) => crons.buildsOf(eve, cron.id)));
  await second[Symbol.asyncDispose]();
  expect(runs.map((builds) => builds.length)).toEqual(jobs.map(() => 1));
});

it("a service makes up for runs that came due while no service was running", async () => {
  const { eve } = suite.users;
  const ahead = () => new Date(suite.now().getTime() + 40 * dayMs);
  const cron = await crons.create(eve, { schedule: "weekly" });
  const late = await suite.startService({ now: ahead });
  const after = await crons.afterRun(eve, cron);
  await late[Symbol.asyncDispose]();
  expect(after.prevRun!.getTime() - suite.now().getTime()).toBeGreaterThan(39 * dayMs);
  expect(await crons.buildsOf(eve, cron.id)).toHaveLength(1);
});

it("an update and a run at the same time both take effect, the run once", async () => {
  const { ann } = suite.users;
  const second = await suite.startService();
  const connection = connect(`127.0.0.1:${second.port}`);
  const secondCrons = connection.client(CronServiceDefinition);
  const jobs = await Promise.all(Array.from({ length: 12 }, () => crons.create(ann)));
  suite.advanceClock(dayMs);
  const changed = await Promise.all(
    jobs.map(async ({ id }) => (await suite.as(ann, () => secondCrons.updateCron({ id, schedule: "monthly" }))).cron!),
  );
  for (const cron of changed) {
    const [build, ...more] = await crons.buildsOf(ann, cron.id);
    expect(more).toEqual([]);
    expect(cron).toMatchObject({ schedule: "monthly", prevRun: build!.createdAt });
    expect(await crons.get(ann, cron.id)).toEqual(cron);
  }
  await connection[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
});

describe("the loop", () => {
  it("looks soon after a cron job was created, changed or deleted", async () => {
    let stirred = 0;
    await using service = await suite.startService({ stirCrons: () => stirred++ });
    await using peer = connect(`127.0.0.1:${service.port}`);
    const { createCron, updateCron, deleteCron } = peer.client(CronServiceDefinition);
    const as = <T>(work: () => Promise<T>) => suite.as(suite.users.eve, work);
    const { cron } = await as(() => createCron({ name: "stirring", schedule: "daily", manifest }));
    expect(stirred).toBe(1);
    await as(() => updateCron({ id: cron!.id, schedule: "weekly" }));
    expect(stirred).toBe(2);
    await as(() => deleteCron({ id: cron!.id }));
    expect(stirred).toBe(3);
  });

  it("rests until the next run, if that is soon", async () => {
    const cron = await crons.create(suite.users.eve);
    const store = cronStore(suite.database(), () => undefined, { max: 0 } as never);
    const passAt = (beforeMs: number) =>
      firingCrons({ crons: store, now: () => new Date(cron.nextRun!.getTime() - beforeMs) } as never, () => {})();
    expect(await passAt(dayMs / 2)).toBe(0);
    expect(await passAt(5_000)).toEqual({ nextInMs: 5_000 });
  });
});
