import { Readable } from "node:stream";
import { sendUpload } from "@ci/kit/bytes/upload";
import type { User } from "@ci/proto/namespaces/v1/accounts";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds } from "./_suite.js";
import { database } from "./queue/_crowd.js";

const suite = bootBuilds({ artifactStorageBytes: 100_000, curationEveryMs: 50 });
const data = database(suite.names);

const manifestOf = (count: number) => `
driver: {type: os}
stages: [make]
jobs:
- {stage: make, commands: [make], artifacts: [${Array.from({ length: count }, (_, n) => `out${n}.txt`)}]}
`;

/** Makes a finished build with artifacts of these sizes, in the order of its manifest. Returns its number. */
async function finishedBuild(user: User, ...sizes: number[]): Promise<number> {
  const build = await suite.submit(user, manifestOf(sizes.length));
  const assignment = (await suite.claim())!;
  await suite.finish(assignment, 0, "passed");
  for (const [nth, bytes] of sizes.entries()) {
    const header = {
      buildId: assignment.buildId,
      epoch: assignment.epoch,
      artifactId: assignment.jobs[1]!.artifacts[nth]!.id,
    };
    await suite.queue.putArtifact(sendUpload(header, Readable.from([Buffer.alloc(bytes)])));
  }
  await suite.finish(assignment, 1, "passed");
  return build.number;
}

const artifactsOf = async (user: User, number: number) => {
  const ref = { userId: user.id, number };
  return (await suite.as(user, () => suite.builds.listArtifacts({ ref, search: "" }))).artifacts;
};
const sizesOf = async (user: User, number: number) => (await artifactsOf(user, number)).map(({ size }) => size);
const contents = () => data.db.collection("artifacts.files").estimatedDocumentCount();

it("beyond the limit, the oldest builds lose the content of their artifacts, except pinned ones", async () => {
  const { ann } = suite.users;
  const pinned = await finishedBuild(ann, 60_000);
  const ref = { userId: ann.id, number: pinned };
  await suite.as(ann, () => suite.builds.pinBuild({ ref, pinned: true }));
  const old = await finishedBuild(ann, 60_000);
  const young = await finishedBuild(ann, 60_000);
  await eventually(async () => expect(await sizesOf(ann, old)).toEqual([undefined]));
  expect(await artifactsOf(ann, old)).toMatchObject([
    { name: "out0.txt", md5: undefined, sha256: undefined, deletedAt: expect.any(Date) },
  ]);
  expect(await sizesOf(ann, young)).toEqual([60_000]);
  expect(await sizesOf(ann, pinned)).toEqual([60_000]);
  await eventually(async () => expect(await contents()).toBe(2));
});

it("a build that alone exceeds the limit keeps its newest artifacts", async () => {
  const { bob } = suite.users;
  const before = await contents();
  const young = await finishedBuild(bob, 40_000, 40_000, 40_000, 60_000);
  await eventually(async () => expect(await sizesOf(bob, young)).toEqual([undefined, undefined, 40_000, 60_000]));
  await eventually(async () => expect(await contents()).toBe(before + 2));
  expect((await artifactsOf(bob, young)).map(({ deletedAt }) => deletedAt !== undefined)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it("everything older than the first artifact beyond the limit is deleted, no matter how small", async () => {
  const { eve } = suite.users;
  const oldest = await finishedBuild(eve, 10);
  const old = await finishedBuild(eve, 20, 50_000);
  const young = await finishedBuild(eve, 60_000);
  await eventually(async () => expect(await sizesOf(eve, oldest)).toEqual([undefined]));
  await eventually(async () => expect(await sizesOf(eve, old)).toEqual([undefined, undefined]));
  expect(await sizesOf(eve, young)).toEqual([60_000]);
});
