import type { Build } from "@ci/proto/builds/v1/builds";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, manifest } from "../_suite.js";

const suite = bootBuilds();
const { users } = suite;

const inGroup = (group: string, more = "") => `concurrency: {group: ${group}${more}}${manifest}`;
const get = async ({ userId, number }: Build, user = users.ann) => {
  const { build } = await suite.as(user, () => suite.builds.getBuild({ ref: { userId, number }, brief: true }));
  return build!;
};
const statusOf = async (build: Build) => (await get(build)).status;
const end = (assignment: Assignment) => suite.finish(assignment, 0, "failed");

/** Claims and finishes everything that is queued. Returns the ids in the order of the claims. */
async function runAll(): Promise<number[]> {
  const ids: number[] = [];
  for (let one = await suite.claim(); one; one = await suite.claim()) {
    ids.push(one.buildId);
    await end(one);
  }
  return ids;
}

describe("one at a time", () => {
  it("a build waits while another of its group runs, and says so", async () => {
    const [first, second] = [await suite.submit(users.ann, inGroup("a")), await suite.submit(users.ann, inGroup("a"))];
    const running = (await suite.claim())!;
    expect(running.buildId).toBe(first.id);
    expect(await suite.claim()).toBeUndefined();
    expect((await get(second)).queue!.reason).toBe("limit of group");
    expect((await suite.submit(users.ann, inGroup("a"))).queue!.reason).toBe("limit of group");
    await end(running);
    expect((await get(second)).queue!.reason).toBe("waiting for a runner");
    expect((await runAll()).length).toBe(2);
  });

  it("holds back no other build: of no group, of another group, namespace or user", async () => {
    const texts = [inGroup("a"), inGroup("a"), manifest, inGroup("b"), `namespace: team\n${inGroup("a")}`];
    const builds: Build[] = [];
    for (const text of texts) builds.push(await suite.submit(users.ann, text));
    builds.push(await suite.submit(users.bob, inGroup("a")));
    const claims: Assignment[] = [];
    for (let one = await suite.claim(); one; one = await suite.claim()) claims.push(one);
    const expected = builds.filter((_, index) => index !== 1).map(({ id }) => id);
    expect(claims.map(({ buildId }) => buildId).sort((a, b) => a - b)).toEqual(expected);
    for (const one of claims) await end(one);
    expect(await runAll()).toEqual([builds[1]!.id]);
  });

  it("a build that lost its runner waits if another of its group runs by then", async () => {
    const [first, second] = [await suite.submit(users.ann, inGroup("l")), await suite.submit(users.ann, inGroup("l"))];
    const lost = (await suite.claim())!;
    await suite.loseRunners();
    await eventually(async () => expect(await statusOf(first)).toBe("queued"));
    await eventually(async () => expect((await suite.claim())?.buildId).toBe(first.id));
    expect(lost.buildId).toBe(first.id);
    expect(await suite.claim()).toBeUndefined();
    await suite.as(users.ann, () => suite.builds.killBuild({ ref: { userId: first.userId, number: first.number } }));
    await suite.loseRunners();
    await eventually(async () => expect((await suite.claim())?.buildId).toBe(second.id));
    await suite.as(users.ann, () => suite.builds.killBuild({ ref: { userId: second.userId, number: second.number } }));
    await suite.loseRunners();
    await eventually(async () => expect(await statusOf(second)).toBe("killed"));
  });
});

describe("cancel", () => {
  const submitAll = async (...mores: string[]) => {
    const builds: Build[] = [];
    for (const more of mores) builds.push(await suite.submit(users.ann, inGroup("c", more)));
    return builds;
  };
  const statuses = (builds: readonly Build[]) => Promise.all(builds.map(statusOf));

  it("queued: a newer build kills older ones that are queued", async () => {
    const builds = await submitAll("", "");
    const running = (await suite.claim())!;
    builds.push(...(await submitAll("", ", cancel: queued", "")));
    expect(await statuses(builds)).toEqual(["running", "killed", "killed", "queued", "queued"]);
    expect((await get(builds[1]!)).reason).toBe("killed by a newer build");
    expect((await suite.queue.renewLease({ buildId: running.buildId, epoch: running.epoch })).kill).toBe(false);
    await end(running);
    expect(await runAll()).toEqual([builds[3]!.id, builds[4]!.id]);
  });

  it("running: a newer build kills those that are queued or running", async () => {
    const builds = await submitAll("", "");
    const running = (await suite.claim())!;
    builds.push(...(await submitAll(", cancel: running")));
    expect(await statuses(builds)).toEqual(["running", "killed", "queued"]);
    expect(await suite.queue.renewLease({ buildId: running.buildId, epoch: running.epoch })).toMatchObject({
      kill: true,
      killedBy: "a newer build",
    });
    await suite.finish(running, 0, "killed");
    expect(await runAll()).toEqual([builds[2]!.id]);
  });

  it("none: kills nothing", async () => {
    const builds = await submitAll("", ", cancel: none");
    expect(await runAll()).toEqual(builds.map(({ id }) => id));
  });

  it("a claim does what the process that queued the newer build could not do any more", async () => {
    const builds = await submitAll("", "", "");
    await suite.change(builds[2]!.id, { $set: { "concurrency.cancel": "queued" }, $inc: { rev: 1 } });
    expect(await runAll()).toEqual([builds[2]!.id]);
    expect(await statuses(builds)).toEqual(["killed", "killed", "failed"]);
  });

  it("a build of a fork kills nothing before it is approved", async () => {
    const builds = await submitAll("", "");
    await suite.change(builds[1]!.id, {
      $set: { "concurrency.cancel": "running", awaitsApproval: true },
      $inc: { rev: 1 },
    });
    const running = (await suite.claim())!;
    expect(running.buildId).toBe(builds[0]!.id);
    await suite.as(users.ann, () =>
      suite.builds.approveBuild({ ref: { userId: users.ann.id, number: builds[1]!.number } }),
    );
    expect((await suite.queue.renewLease({ buildId: running.buildId, epoch: running.epoch })).kill).toBe(true);
    await suite.finish(running, 0, "killed");
    expect(await runAll()).toEqual([builds[1]!.id]);
  });

  it("the builds of one matrix run one after another, and kill only older builds", async () => {
    const [older] = await submitAll("");
    const first = await suite.submit(users.ann, `matrix: {A: [1, 2, 3]}\n${inGroup("c", ", cancel: queued")}`);
    expect(await statusOf(older!)).toBe("killed");
    const [running, next] = [await suite.claim(), await suite.claim()];
    expect([running!.buildId, next]).toEqual([first.id, undefined]);
    await end(running!);
    expect(await runAll()).toHaveLength(2);
  });
});
