import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, manifest } from "../_suite.js";
import { crowd, database, stored } from "./_crowd.js";

const on = bootBuilds({ runningPerUser: 3, runningPerNamespace: 2 });
const data = database(on.names);
const inTeam = `namespace: team${manifest}`;

/** The builds that twelve claims at three replicas get, all at the same time, each for one of the drivers in turn. */
async function stampede(drivers: readonly Driver_Type[] = ["os"]) {
  const queues = [on.queue, ...replicas];
  const claims = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      queues[n % 3]!.claimBuild({ runnerId: `r${n}`, drivers: [drivers[n % drivers.length]!] }),
    ),
  );
  return claims.flatMap(({ assignment }) => assignment ?? []);
}

let replicas: (typeof on.queue)[];
beforeAll(async () => {
  // Their clocks differ from the first one's by more than a claim takes.
  const off = (ms: number) => () => new Date(on.now().getTime() + ms);
  replicas = [(await on.replica(off(-60_000))).queue, (await on.replica(off(60_000))).queue];
});

const submit = async (user: User, count: number, text = manifest) => {
  for (let n = 0; n < count; n++) await on.submit(user, text);
};

afterEach(async () => {
  await data.db.collection("builds").deleteMany({ status: { $in: ["queued", "running"] } });
});

it("many claims at once do not go beyond the limit of a user", async () => {
  await submit(on.users.ann, 8);
  const held = await stampede();
  expect(held).toHaveLength(3);
  expect(await on.claim()).toBeUndefined();
  // One ends, one may start: at once, and only one.
  await on.finish(held[0]!, 0, "failed");
  expect(await stampede()).toHaveLength(1);
});

it("nor claims for different drivers, which do not meet at the same build", async () => {
  const ofDocker = manifest.replace("type: os", "type: docker, image: i:1, workspace: /w");
  for (let round = 0; round < 8; round++) {
    await submit(on.users.eve, 4);
    await submit(on.users.eve, 4, ofDocker);
    expect(await stampede(["os", "docker"])).toHaveLength(3);
    await data.db.collection("builds").deleteMany({ status: { $in: ["queued", "running"] } });
  }
});

it("many claims at once do not go beyond the limit of a tree", async () => {
  await submit(on.users.ann, 8, inTeam);
  const held = await stampede();
  expect(held).toHaveLength(2);
  await on.finish(held[0]!, 0, "failed");
  expect(await stampede()).toHaveLength(1);
});

it("another user's builds go past those that a limit holds back", async () => {
  await submit(on.users.ann, 5);
  const held = [(await on.claim())!, (await on.claim())!, (await on.claim())!];
  await submit(on.users.bob, 1);
  expect((await on.claim())?.userId).toBe(on.users.bob.id);
  expect(held.map(({ userId }) => userId)).toEqual(Array(3).fill(on.users.ann.id));
});

it("a full tree holds back nothing that lies beside it, however much of it waits", async () => {
  const { ann } = on.users;
  const first = await on.submit(ann, inTeam);
  await crowd(data.db, await stored(data.db, first.id), 300);
  const beside = await on.submit(ann);
  const got = [await on.claim(), await on.claim(), await on.claim()];
  expect(got.map((one) => one?.buildId === beside.id)).toEqual([false, false, true]);
});

it("a build that was lost and runs again takes one slot", async () => {
  await submit(on.users.bob, 3);
  for (let n = 0; n < 3; n++) expect(await on.claim()).toBeDefined();
  await on.loseRunners();
  const again: number[] = [];
  await eventually(async () => {
    const got = await on.claim();
    if (got) again.push(got.epoch);
    expect(again).toEqual([2, 2, 2]);
  });
  await submit(on.users.bob, 1);
  expect(await on.claim()).toBeUndefined();
});
