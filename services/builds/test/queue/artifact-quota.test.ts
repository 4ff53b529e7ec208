import { Readable } from "node:stream";
import { sendUpload } from "@ci/kit/bytes/upload";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { storageOf } from "@ci/testkit/quotas";
import { bootBuilds, fault } from "../_suite.js";
import { database } from "./_crowd.js";

const suite = bootBuilds({
  artifactQuota: storageOf("artifacts", 100_000),
  artifactStorageBytes: 50_000,
  curationEveryMs: 50,
});
const data = database(suite.names);

const manifest = `
driver: {type: os}
stages: [make]
jobs:
- {stage: make, commands: [make], artifacts: [a, b, c, d]}
`;

/** Starts a build of a user. Returns functions that store one of its artifacts, pin it and finish it. */
async function running(user: User) {
  const build = await suite.submit(user, manifest);
  const assignment = (await suite.claim())!;
  await suite.finish(assignment, 0, "passed");
  const { buildId, epoch, jobs } = assignment;
  const put = (nth: number, bytes: number) => {
    const header = { buildId, epoch, artifactId: jobs[1]!.artifacts[nth]!.id };
    return suite.queue.putArtifact(sendUpload(header, Readable.from([Buffer.alloc(bytes)])));
  };
  const ref = { userId: user.id, number: build.number };
  const pin = (pinned: boolean) => suite.as(user, () => suite.builds.pinBuild({ ref, pinned }));
  return { put, pin, finish: () => suite.finish(assignment, 1, "passed") };
}

const full = (used: string) => ({
  code: "invalid",
  fields: {
    file: [
      `File exceeds the storage quota of 97.7 KiB per user for artifacts, ${used} are used: delete artifacts to free space`,
    ],
  },
});
const contents = () => data.db.collection("artifacts.files").estimatedDocumentCount();

it("artifacts of pinned builds count, and unpinning a build frees their space at the next curation", async () => {
  const { ann } = suite.users;
  const pinned = await running(ann);
  await pinned.pin(true);
  await pinned.put(0, 60_000);
  await pinned.finish();
  const next = await running(ann);
  await next.put(0, 40_000);
  expect(await fault(next.put(1, 1))).toMatchObject(full("97.7 KiB"));
  expect(await contents()).toBe(2);
  await pinned.pin(false);
  await eventually(() => next.put(1, 60_000));
  expect(await fault(next.put(2, 1))).toMatchObject(full("97.7 KiB"));
  await next.finish();
});

it("a repeated upload takes the room of the file that it replaces, and no more", async () => {
  const build = await running(await suite.accounts.aUser("dan"));
  for (const bytes of [60_000, 60_000, 50_000, 60_000]) await build.put(0, bytes);
  expect(await fault(build.put(1, 40_001))).toMatchObject(full("58.6 KiB"));
  await build.put(1, 40_000);
  await build.put(0, 60_000);
  expect(await fault(build.put(0, 60_001))).toMatchObject({ code: "invalid" });
  await build.finish();
});

it("concurrent uploads to several builds stay within the quota, and each user has a separate one", async () => {
  const { bob, eve } = suite.users;
  const [first, second] = [await running(bob), await running(bob)];
  const puts = [0, 1, 2, 3].flatMap((nth) => [first.put(nth, 30_000), second.put(nth, 30_000)]);
  const results = await Promise.allSettled(puts);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  const other = await running(eve);
  await other.put(0, 60_000);
  for (const build of [first, second, other]) await build.finish();
});
