import { eventually } from "@ci/testkit/eventually";
import { bootBuilds } from "../_suite.js";
import { crowd, database, stored } from "./_crowd.js";

const on = bootBuilds();
const data = database(on.names);

/** Claims one build after another with one runner, and ends each at once; answers whose they were. */
async function served(count: number): Promise<number[]> {
  const users: number[] = [];
  for (let n = 0; n < count; n++) {
    const got = (await on.claim())!;
    users.push(got.userId);
    await on.finish(got, 0, "failed");
  }
  return users;
}

afterEach(async () => {
  await data.db.collection("builds").deleteMany({ status: "queued" });
  // Finds that nobody waits any more.
  expect(await on.claim()).toBeUndefined();
});

it("ten thousand builds of one user delay the single build of another by one", async () => {
  const { ann, bob } = on.users;
  const first = await on.submit(ann);
  await crowd(data.db, await stored(data.db, first.id), 10_000);
  expect(await served(3)).toEqual([ann.id, ann.id, ann.id]);
  for (let round = 0; round < 5; round++) {
    const { queue } = await on.submit(bob);
    expect(queue!.position).toBeLessThanOrEqual(2);
    const users = await served(3);
    expect(users.indexOf(bob.id)).toBeLessThanOrEqual(1);
    expect(users.filter((id) => id === ann.id)).toHaveLength(2);
  }
});

it("the builds of several users are handed out in turn, oldest first within a user", async () => {
  const { ann, bob, eve } = on.users;
  for (const user of [ann, ann, ann, bob, bob, eve]) await on.submit(user);
  const builds: [number, number][] = [];
  for (let n = 0; n < 6; n++) {
    const got = (await on.claim())!;
    builds.push([got.userId, got.number]);
    await on.finish(got, 0, "failed");
  }
  expect(builds.map(([user]) => user)).toEqual([ann, bob, eve, ann, bob, ann].map(({ id }) => id));
  for (const { id } of [ann, bob]) {
    const numbers = builds.filter(([user]) => user === id).map(([, number]) => number);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  }
});

it("many claims at several replicas at once serve every user alike", async () => {
  const { ann, bob } = on.users;
  const first = await on.submit(ann);
  await crowd(data.db, await stored(data.db, first.id), 500);
  for (let n = 0; n < 8; n++) await on.submit(bob);
  const queues = [on.queue, (await on.replica()).queue, (await on.replica()).queue];
  const claims = await Promise.all(
    Array.from({ length: 16 }, (_, n) => queues[n % 3]!.claimBuild({ runnerId: `r${n}`, drivers: ["os", "docker"] })),
  );
  const got = claims.map(({ assignment }) => assignment!);
  expect(new Set(got.map(({ buildId }) => buildId)).size).toBe(16);
  // Two claims at the very same time may serve one user twice; first come, first served would give bob nothing.
  const bobs = got.filter(({ userId }) => userId === bob.id).length;
  expect(bobs).toBeGreaterThanOrEqual(4);
  for (const build of got) await on.finish(build, 0, "failed");
  const rest = await served(2 * (8 - bobs) + 1);
  expect(rest.filter((userId) => userId === bob.id)).toHaveLength(8 - bobs);
});

it("a user whose place in the line was lost is found again", async () => {
  const { eve } = on.users;
  const { id } = await on.submit(eve);
  await data.db.collection("line").deleteMany({ driver: "os" });
  // A replica looks through all that waits when it starts, and every few seconds: the first one may be quicker.
  const { queue } = await on.replica();
  await eventually(async () => {
    const { assignment } = await queue.claimBuild({ runnerId: "r1", drivers: ["os"] });
    expect(assignment?.buildId).toBe(id);
  });
});
