import { Readable } from "node:stream";
import { sendUpload } from "@ci/kit/bytes/upload";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds } from "./_suite.js";

const on = bootBuilds({ artifactStorageBytes: 100_000, curationEveryMs: 50 });

async function stored(bytes: number) {
  const build = await on.submit(on.users.ann);
  const got = (await on.claim())!;
  await on.finish(got, 0, "passed");
  const header = { buildId: got.buildId, epoch: got.epoch, artifactId: got.jobs[1]!.artifacts[0]!.id };
  await on.queue.putArtifact(sendUpload(header, Readable.from([Buffer.alloc(bytes)])));
  await on.finish(got, 1, "failed");
  return build.number;
}

const artifactOf = async (number: number) => {
  const ref = { userId: on.users.ann.id, number };
  return (await on.as(on.users.ann, () => on.builds.getArtifact({ ref, name: "out.txt" }))).artifact!;
};

it("takes the content of the oldest builds beyond the limit, never of pinned ones", async () => {
  const pinned = await stored(60_000);
  const ref = { userId: on.users.ann.id, number: pinned };
  await on.as(on.users.ann, () => on.builds.pinBuild({ ref, pinned: true }));
  const old = await stored(60_000);
  const young = await stored(60_000);
  await eventually(async () => expect((await artifactOf(old)).deletedAt).toBeInstanceOf(Date));
  expect((await artifactOf(old)).size).toBeUndefined();
  expect((await artifactOf(young)).size).toBe(60_000);
  expect((await artifactOf(pinned)).size).toBe(60_000);
});
