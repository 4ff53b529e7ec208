import { Readable } from "node:stream";
import { blobs } from "@ci/kit/bytes/blobs";
import { sendUpload } from "@ci/kit/bytes/upload";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { connect } from "@ci/testkit/identities";
import { buildStore } from "../../src/store/builds.js";
import { bootBuilds, clients, fault } from "../_suite.js";
import { database } from "./_crowd.js";

const suite = bootBuilds();
const data = database(suite.names);

const names = Array.from({ length: 12 }, (_, n) => `out${n}.txt`);
const manifest = `
driver: {type: os}
stages: [make]
jobs:
- {stage: make, commands: [echo made], artifacts: [${names}]}
`;

async function claimed() {
  const build = await suite.submit(suite.users.ann, manifest);
  const assignment = (await suite.claim())!;
  await suite.finish(assignment, 0, "passed");
  return { assignment, ref: { userId: build.userId, number: build.number } };
}

const put = ({ buildId, epoch, jobs }: Assignment, nth: number, text: string, queue = suite.queue) => {
  const header = { buildId, epoch, artifactId: jobs[1]!.artifacts[nth]!.id };
  return queue.putArtifact(sendUpload(header, Readable.from([Buffer.from(text)])));
};

const artifacts = (ref: { userId: number; number: number }) =>
  suite.as(suite.users.ann, async () => (await suite.builds.listArtifacts({ ref, search: "out" })).artifacts);

/** Counts the stored contents, and the marks of uploads whose outcome is not settled. */
const stored = async () => ({
  files: await data.db.collection("artifacts.files").estimatedDocumentCount(),
  marks: await data.db.collection("artifacts.uploads").estimatedDocumentCount(),
});

/** Starts another replica with these parts replaced, and returns its queue. */
async function replica(parts: Parameters<typeof suite.startService>[0]) {
  const service = await suite.startService(parts);
  const peer = connect(`127.0.0.1:${service.port}`);
  return {
    queue: clients(peer).queue,
    async [Symbol.asyncDispose]() {
      await peer[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

afterEach(async () => {
  for (const name of ["builds", "artifacts.files", "artifacts.chunks", "artifacts.uploads"])
    await data.db.collection<{ _id: unknown }>(name).deleteMany({ _id: { $exists: true } }, { hint: "_id_" });
});

it("concurrent uploads of a build's artifacts all succeed at the first attempt", async () => {
  const { assignment, ref } = await claimed();
  await Promise.all(names.map((name, nth) => put(assignment, nth, name)));
  expect((await artifacts(ref)).filter(({ size }) => size === undefined)).toEqual([]);
  expect(await stored()).toEqual({ files: names.length, marks: 0 });
});

it("a repeated upload deletes the content that it replaces", async () => {
  const { assignment, ref } = await claimed();
  await put(assignment, 0, "first");
  await put(assignment, 0, "second!");
  expect((await artifacts(ref))[0]).toMatchObject({ name: "out0.txt", size: 7 });
  expect(await stored()).toEqual({ files: 1, marks: 0 });
  await Promise.all(
    [put(assignment, 0, "third"), put(assignment, 0, "third"), put(assignment, 0, "third")].map((upload) =>
      upload.catch(() => {}),
    ),
  );
  expect((await artifacts(ref))[0]).toMatchObject({ size: 5 });
  // A refused upload removes its mark after its answer.
  await eventually(async () => expect(await stored()).toEqual({ files: 1, marks: 0 }));
});

it("of uploads that begin before the first one is recorded, the content of one is kept", async () => {
  const { assignment, ref } = await claimed();
  const uploads = ["one", "two", "six"].map((text) => put(assignment, 0, text));
  // One that another replaces before it has ended is told to try again.
  for (const upload of await Promise.allSettled(uploads))
    if (upload.status === "rejected") expect(upload.reason).toMatchObject({ code: "unavailable" });
  expect((await artifacts(ref))[0]).toMatchObject({ name: "out0.txt", size: 3 });
  await eventually(async () => expect(await stored()).toEqual({ files: 1, marks: 0 }));
});

it("artifacts uploaded while the build is returned leave no content", async () => {
  const { assignment, ref } = await claimed();
  await put(assignment, 0, "early");
  const contents = blobs(data.db, "artifacts");
  let late = 1;
  const release = async (...blobIds: readonly string[]) => {
    if (late < 3) await put(assignment, late++, "late");
    await contents.release(...blobIds);
  };
  await using other = await replica({ contents: { ...contents, release } });
  await other.queue.returnBuild({ buildId: assignment.buildId, epoch: assignment.epoch });
  expect(late).toBe(3);
  expect((await artifacts(ref)).filter(({ size }) => size !== undefined)).toEqual([]);
  await eventually(async () => expect(await stored()).toEqual({ files: 0, marks: 0 }));
});

it("an artifact keeps its content if its record was stored and only the answer was lost", async () => {
  const { assignment, ref } = await claimed();
  const builds = buildStore(data.db, () => {});
  const change: typeof builds.change = async (...args) => {
    await builds.change(...args);
    throw new Error("the connection broke");
  };
  await using other = await replica({ builds: { ...builds, change } });
  expect(await fault(put(assignment, 0, "there", other.queue))).toMatchObject({ code: "internal" });
  expect((await artifacts(ref))[0]).toMatchObject({ size: 5 });
  expect(await stored()).toEqual({ files: 1, marks: 1 });
  await blobs(data.db, "artifacts").sweep(new Date(Date.now() + 60_000), builds.usesBlob);
  expect(await stored()).toEqual({ files: 1, marks: 0 });
  await put(assignment, 0, "again!");
  expect((await artifacts(ref))[0]).toMatchObject({ size: 6 });
  expect(await stored()).toEqual({ files: 1, marks: 0 });
});
