import { eventually } from "@ci/testkit/eventually";
import { lineUp } from "../../src/loops/line-up.js";
import { lineStore } from "../../src/store/queue/line.js";
import { queueStore } from "../../src/store/queue/queue.js";
import { bootBuilds } from "../_suite.js";
import { crowd, database, storedBuild } from "./_crowd.js";
import { examined } from "./_examined.js";

const suite = bootBuilds();
const data = database(suite.names);

const emptyLine = () => data.db.collection("line").deleteMany({ driver: "os" });

/** Claims builds one after another and finishes each at once. Returns their users. */
async function serve(count: number): Promise<number[]> {
  const userIds: number[] = [];
  for (let n = 0; n < count; n++) {
    const assignment = (await suite.claim())!;
    userIds.push(assignment.userId);
    await suite.finish(assignment, 0, "failed");
  }
  return userIds;
}

afterEach(async () => {
  await data.db.collection("builds").deleteMany({ status: "queued" });
  // This claim empties the line.
  expect(await suite.claim()).toBeUndefined();
});

it("ten thousand builds of one user delay another user's build by at most one", async () => {
  const { ann, bob } = suite.users;
  const first = await suite.submit(ann);
  await crowd(data.db, await storedBuild(data.db, first.id), 10_000);
  expect(await serve(3)).toEqual([ann.id, ann.id, ann.id]);
  for (let round = 0; round < 5; round++) {
    const { queue } = await suite.submit(bob);
    expect(queue!.position).toBeLessThanOrEqual(2);
    const userIds = await serve(3);
    expect(userIds.indexOf(bob.id)).toBeLessThanOrEqual(1);
    expect(userIds.filter((id) => id === ann.id)).toHaveLength(2);
  }
});

it("users get their builds claimed in turn, each user's oldest first", async () => {
  const { ann, bob, eve } = suite.users;
  for (const user of [ann, ann, ann, bob, bob, eve]) await suite.submit(user);
  const builds: [number, number][] = [];
  for (let n = 0; n < 6; n++) {
    const assignment = (await suite.claim())!;
    builds.push([assignment.userId, assignment.number]);
    await suite.finish(assignment, 0, "failed");
  }
  expect(builds.map(([user]) => user)).toEqual([ann, bob, eve, ann, bob, ann].map(({ id }) => id));
  for (const { id } of [ann, bob]) {
    const numbers = builds.filter(([user]) => user === id).map(([, number]) => number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  }
});

it("concurrent claims at several replicas serve all users alike", async () => {
  const { ann, bob } = suite.users;
  const first = await suite.submit(ann);
  await crowd(data.db, await storedBuild(data.db, first.id), 500);
  for (let n = 0; n < 8; n++) await suite.submit(bob);
  const queues = [suite.queue, (await suite.replica()).queue, (await suite.replica()).queue];
  const claims = await Promise.all(
    Array.from({ length: 16 }, (_, n) => queues[n % 3]!.claimBuild({ runnerId: `r${n}`, drivers: ["os", "docker"] })),
  );
  const claimed = claims.map(({ assignment }) => assignment!);
  expect(new Set(claimed.map(({ buildId }) => buildId)).size).toBe(16);
  // Simultaneous claims may serve one user twice. In the order of submission, bob would get nothing.
  const buildsOfBob = claimed.filter(({ userId }) => userId === bob.id).length;
  expect(buildsOfBob).toBeGreaterThanOrEqual(4);
  for (const build of claimed) await suite.finish(build, 0, "failed");
  const rest = await serve(2 * (8 - buildsOfBob) + 1);
  expect(rest.filter((userId) => userId === bob.id)).toHaveLength(8 - buildsOfBob);
});

it("claims at the same time do not read for each other", async () => {
  await crowd(data.db, await storedBuild(data.db, (await suite.submit(suite.users.ann)).id), 100);
  const count = 12;
  const together = () => Promise.all(Array.from({ length: count }, () => suite.claim()));
  const oneByOne = async () => {
    for (let n = 0; n < count; n++) await suite.claim();
  };
  const baseline = await examined(data.db, ["builds", "line"], oneByOne);
  // Each claim passes over the builds that others are claiming.
  const passed = (count * (count - 1)) / 2;
  expect(await examined(data.db, ["builds", "line"], together)).toBeLessThanOrEqual(baseline + passed);
});

it("a user who is missing from the line is added again", async () => {
  const { eve } = suite.users;
  const { id } = await suite.submit(eve);
  await emptyLine();
  // A replica checks all queued builds at its start and every few seconds, so the first replica may be quicker.
  const { queue } = await suite.replica();
  await eventually(async () => {
    const { assignment } = await queue.claimBuild({ runnerId: "r1", drivers: ["os"] });
    expect(assignment?.buildId).toBe(id);
  });
});

it("the pass that adds missing users rests only while no builds wait", async () => {
  const bus = { nudge() {} } as never;
  const pass = () => lineUp({ queue: queueStore(data.db), line: lineStore(data.db), bus });
  expect(await pass()).toBe(0);
  await suite.submit(suite.users.eve);
  // The service relies on eve's place, which the test before removed.
  await eventually(async () => expect(await pass()).toBeUndefined());
  // The passes of the replicas may be quicker.
  await eventually(async () => {
    await emptyLine();
    expect(await pass()).toBe(1);
  });
});

it("builds that wait for approval add nobody to the line, and wake no runner", async () => {
  const woken: string[] = [];
  const bus = { nudge: (subject: string) => woken.push(subject) } as never;
  const pass = () => lineUp({ queue: queueStore(data.db), line: lineStore(data.db), bus });
  const joins = () =>
    eventually(async () => {
      await emptyLine();
      expect(await pass()).toBe(1);
    });
  const { id } = await suite.submit(suite.users.eve);
  await suite.change(id, { $set: { awaitsApproval: true } });
  await eventually(async () => {
    expect(await suite.claim()).toBeUndefined();
    expect(await data.db.collection("line").countDocuments({ driver: "os" })).toBe(0);
  });
  expect(await pass()).toBe(0);
  await suite.submit(suite.users.bob);
  await joins();
  expect(woken).toEqual(["queue.os"]);
  expect((await suite.claim())?.userId).toBe(suite.users.bob.id);
  await suite.change(id, { $unset: { awaitsApproval: true } });
  await joins();
  expect(woken).toEqual(["queue.os", "queue.os"]);
});
