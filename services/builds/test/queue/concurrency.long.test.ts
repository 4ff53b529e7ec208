import type { Assignment } from "@ci/proto/builds/v1/queue";
import { bootBuilds, manifest } from "../_suite.js";
import { crowd, database, storedBuild } from "./_crowd.js";

const suite = bootBuilds();
const data = database(suite.names);
const { users } = suite;

const inGroup = (group: string) => `concurrency: {group: ${group}}${manifest}`;
const end = (assignment: Assignment) => suite.finish(assignment, 0, "failed");

it("of a group one build runs at a time, also if replicas claim at the same time", async () => {
  const replicas = [suite, await suite.replica(), await suite.replica()];
  const builds = await Promise.all(Array.from({ length: 12 }, () => suite.submit(users.ann, inGroup("race"))));
  const ran: number[] = [];
  while (ran.length < builds.length) {
    const claims = replicas.flatMap(({ queue }) =>
      [1, 2, 3].map((n) => queue.claimBuild({ runnerId: `r${n}`, drivers: ["os"] })),
    );
    const got = (await Promise.all(claims)).flatMap(({ assignment }) => assignment ?? []);
    expect(got.length).toBeLessThanOrEqual(1);
    for (const one of got) {
      ran.push(one.buildId);
      await end(one);
    }
  }
  expect(ran.sort()).toEqual(builds.map(({ id }) => id).sort());
});

it("a user with many busy groups still gets a turn for other builds", async () => {
  const docs = await Promise.all(
    Array.from({ length: 60 }, (_, n) => suite.submit(users.eve, inGroup(`busy-${String(n).padStart(2, "0")}`))),
  );
  const claims: Assignment[] = [];
  for (let one = await suite.claim(); one; one = await suite.claim()) claims.push(one);
  expect(claims).toHaveLength(docs.length);
  for (let n = 0; n < 60; n++) await suite.submit(users.eve, inGroup(`busy-${String(n).padStart(2, "0")}`));
  const free = [await suite.submit(users.eve, inGroup("z")), await suite.submit(users.eve)];
  expect([(await suite.claim())?.buildId, (await suite.claim())?.buildId]).toEqual(free.map(({ id }) => id));
  expect(await suite.claim()).toBeUndefined();
  for (const one of claims) await end(one);
  for (let one = await suite.claim(); one; one = await suite.claim()) await end(one);
});
it("a claim passes over ten thousand builds of a busy group without reading them", async () => {
  const first = await suite.submit(users.ann, inGroup("crowd"));
  await crowd(data.db, await storedBuild(data.db, first.id), 10_000);
  const running = (await suite.claim())!;
  const other = await suite.submit(users.ann);
  await data.db.command({ profile: 2 });
  const claimed = await suite.claim();
  await data.db.command({ profile: 0 });
  expect(claimed?.buildId).toBe(other.id);
  const read = await data.db
    .collection("system.profile")
    // The count of all queued builds, which is recorded each minute, is no part of the claim.
    .find({ ns: `${data.db.databaseName}.builds`, "command.pipeline.0.$match": { $ne: { status: "queued" } } })
    .toArray();
  const keys = read.map(({ keysExamined = 0 }) => keysExamined as number);
  expect(Math.max(...keys)).toBeLessThan(50);
  await end(running);
  await end(claimed!);
  await data.db.collection("builds").deleteMany({ _id: { $gte: 1_000_000 as never } });
});
