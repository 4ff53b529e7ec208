import { eventually } from "@ci/testkit/eventually";
import { buildStore } from "../src/store/builds.js";
import { followedOf } from "../src/store/followed-builds.js";
import { aBuild, aJob } from "./_build.js";
import { bootBuilds } from "./_suite.js";
import { crowd, storedBuild } from "./queue/_crowd.js";

const suite = bootBuilds();

const many = `
driver: {type: os}
jobs:
${Array.from({ length: 400 }, (_, n) => `- {name: job${n}, commands: [echo ${"x".repeat(200)}]}`).join("\n")}
`;

it("followers of builds without news read no more than revisions", async () => {
  const { ann } = suite.users;
  const db = suite.database();
  const { id } = await suite.submit(ann, many);
  const followed = await crowd(db, await storedBuild(db, id), 5);
  const stop = new AbortController();
  let waiting = 0;
  const streams = followed.map(({ userId, number }) =>
    suite.as(ann, async () => {
      const stream = suite.builds.watchOutput({ ref: { userId, number }, offset: 0 }, { signal: stop.signal });
      for await (const { item } of stream) if (item?.$case === "waiting") waiting++;
    }),
  );
  await eventually(() => expect(waiting).toBe(followed.length));
  await db.command({ profile: 2 });
  const reads = { op: "query", ns: `${db.databaseName}.builds`, "command.filter._id": { $exists: true } };
  const profile = db.collection<{ responseLength: number }>("system.profile");
  await eventually(async () => expect(await profile.countDocuments(reads)).toBeGreaterThan(followed.length));
  await db.command({ profile: 0 });
  const sizes = await profile
    .find(reads)
    .map(({ responseLength }) => responseLength)
    .toArray();
  expect(Math.max(...sizes)).toBeLessThan(1_000);
  stop.abort();
  await Promise.allSettled(streams);
});

it("followers hold what they show of a build until its revision changes", async () => {
  const builds = buildStore(suite.database(), () => undefined);
  const [_id, text] = [2_000_000, "x".repeat(1_000)];
  const jobs = Array.from({ length: 500 }, (_, n) => aJob(n, { name: `job-${n}`, reason: text, stage: text }));
  const driver = { ...aBuild().driver, image: text.repeat(100) };
  const concurrency = { key: "k", cancel: "queued" } as const;
  const doc = aBuild({ _id, number: _id, jobs, driver, concurrency, awaitsApproval: true, rootId: 3, parts: [] });
  await builds.insert([doc]);
  const held = (await builds.followed(_id))!;
  expect(held).toEqual(followedOf(doc));
  expect(JSON.stringify(held).length).toBeLessThan(500 * 100);
  expect(await builds.followed(_id, held)).toBe(held);
  await builds.change(_id, () => ({ set: { awaitsApproval: undefined } }));
  expect(await builds.followed(_id, held)).toEqual(followedOf({ ...doc, rev: 2, awaitsApproval: undefined }));
});
