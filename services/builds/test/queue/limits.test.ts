import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, manifest } from "../_suite.js";
import { crowd, database, storedBuild } from "./_crowd.js";

const suite = bootBuilds({ runningPerUser: 3, runningPerNamespace: 2 });
const data = database(suite.names);
const inTeam = `namespace: team${manifest}`;

/** Makes twelve concurrent claims at three replicas, each for one of the drivers in turn. Returns the claimed builds. */
async function stampede(drivers: readonly Driver_Type[] = ["os"]) {
  const queues = [suite.queue, ...replicas];
  const claims = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      queues[n % 3]!.claimBuild({ runnerId: `r${n}`, drivers: [drivers[n % drivers.length]!] }),
    ),
  );
  return claims.flatMap(({ assignment }) => assignment ?? []);
}

let replicas: (typeof suite.queue)[];
beforeAll(async () => {
  // Their clocks differ from the first replica's by more than a claim takes.
  const off = (ms: number) => () => new Date(suite.now().getTime() + ms);
  replicas = [(await suite.replica(off(-60_000))).queue, (await suite.replica(off(60_000))).queue];
});

const submit = async (user: User, count: number, text = manifest) => {
  for (let n = 0; n < count; n++) await suite.submit(user, text);
};

afterEach(async () => {
  await data.db.collection("builds").deleteMany({ status: { $in: ["queued", "running"] } });
});

it("concurrent claims do not exceed the limit of a user", async () => {
  await submit(suite.users.ann, 8);
  const running = await stampede();
  expect(running).toHaveLength(3);
  expect(await suite.claim()).toBeUndefined();
  // One build has finished, so one may start at once, and only one.
  await suite.finish(running[0]!, 0, "failed");
  expect(await stampede()).toHaveLength(1);
});

it("concurrent claims for different drivers do not exceed the limit of a user", async () => {
  const ofDocker = manifest.replace("type: os", "type: docker, image: i:1, workspace: /w");
  for (let round = 0; round < 8; round++) {
    await submit(suite.users.eve, 4);
    await submit(suite.users.eve, 4, ofDocker);
    expect(await stampede(["os", "docker"])).toHaveLength(3);
    await data.db.collection("builds").deleteMany({ status: { $in: ["queued", "running"] } });
  }
});

it("concurrent claims do not exceed the limit of a namespace tree", async () => {
  await submit(suite.users.ann, 8, inTeam);
  const running = await stampede();
  expect(running).toHaveLength(2);
  await suite.finish(running[0]!, 0, "failed");
  expect(await stampede()).toHaveLength(1);
});

it("a runner that finds no build learns whether some wait for the end of others", async () => {
  const claim = () => suite.queue.claimBuild({ runnerId: "r1", drivers: ["os"] });
  // Users whose builds an earlier test has deleted leave the line.
  await eventually(async () => expect((await claim()).heldBack).toBe(false));
  await submit(suite.users.ann, 3);
  for (let n = 0; n < 3; n++) expect((await claim()).assignment).toBeDefined();
  expect((await claim()).heldBack).toBe(false);
  await submit(suite.users.ann, 1);
  expect(await claim()).toMatchObject({ assignment: undefined, heldBack: true });
});

it("another user's build passes the builds that a limit holds back", async () => {
  await submit(suite.users.ann, 5);
  const running = [(await suite.claim())!, (await suite.claim())!, (await suite.claim())!];
  await submit(suite.users.bob, 1);
  expect((await suite.claim())?.userId).toBe(suite.users.bob.id);
  expect(running.map(({ userId }) => userId)).toEqual(Array(3).fill(suite.users.ann.id));
});

it("a full namespace tree holds back no build outside it, no matter how many of its builds wait", async () => {
  const { ann } = suite.users;
  const first = await suite.submit(ann, inTeam);
  await crowd(data.db, await storedBuild(data.db, first.id), 300);
  const outside = await suite.submit(ann);
  const claims = [await suite.claim(), await suite.claim(), await suite.claim()];
  expect(claims.map((claim) => claim?.buildId === outside.id)).toEqual([false, false, true]);
});

it("a build that was lost and runs again takes one slot", async () => {
  await submit(suite.users.bob, 3);
  for (let n = 0; n < 3; n++) expect(await suite.claim()).toBeDefined();
  await suite.loseRunners();
  const epochs: number[] = [];
  await eventually(async () => {
    const assignment = await suite.claim();
    if (assignment) epochs.push(assignment.epoch);
    expect(epochs).toEqual([2, 2, 2]);
  });
  await submit(suite.users.bob, 1);
  expect(await suite.claim()).toBeUndefined();
});
