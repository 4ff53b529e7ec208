import { Readable } from "node:stream";
import { sendUpload } from "@ci/kit/bytes/upload";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import type { BuildDoc } from "../../src/domain/build.js";
import { bootBuilds, type clients, fault } from "../_suite.js";
import { database } from "./_crowd.js";

type Replica = ReturnType<typeof clients>;

const suite = bootBuilds();
const data = database(suite.names);
let first: Replica;
let second: Replica;

beforeAll(async () => {
  first = await suite.replica();
  second = await suite.replica();
});

async function claimAt({ queue }: Replica): Promise<Assignment> {
  await suite.submit(suite.users.ann);
  return (await queue.claimBuild({ runnerId: "r1", drivers: ["os"] })).assignment!;
}

const secrets = ({ buildId, epoch, leaseSecret }: Assignment) => ({ buildId, epoch, leaseSecret });

const finishAt = ({ queue }: Replica, build: Assignment, nth: number, offset = 0, text = "") =>
  queue.finishJob({
    ...secrets(build),
    jobId: build.jobs[nth]!.id,
    outcome: "passed",
    text,
    offset,
    placedObjectIds: [],
  });

const printAt = ({ queue }: Replica, build: Assignment, nth: number, offset: number, text: string) =>
  queue.appendOutput({ ...secrets(build), jobId: build.jobs[nth]!.id, offset, text });

const get = async ({ number, userId }: Assignment) =>
  (await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref: { userId, number }, brief: false }))).build!;

async function profiled(work: () => Promise<unknown>): Promise<void> {
  await data.db.dropCollection("system.profile");
  await data.db.command({ profile: 2 });
  await work();
  await data.db.command({ profile: 0 });
}

/** Counts how often builds are read by their id while `work` runs. */
async function reads(work: () => Promise<unknown>): Promise<number> {
  await profiled(work);
  const ns = `${data.db.databaseName}.builds`;
  const ofOne = { ns, op: "query", "command.filter._id": { $type: "number" } };
  return data.db.collection("system.profile").countDocuments(ofOne);
}

/** Returns how many bytes MongoDB returns of builds while `work` runs. */
async function bytesRead(work: () => Promise<unknown>): Promise<number> {
  await profiled(work);
  const answers = await data.db
    .collection("system.profile")
    .find({ ns: `${data.db.databaseName}.builds` })
    .toArray();
  return answers.reduce((sum, { responseLength = 0 }) => sum + responseLength, 0);
}

it("a replica that has just changed a build writes a report without reading the build", async () => {
  const build = await claimAt(first);
  const report = async () => {
    await finishAt(first, build, 0);
    await printAt(first, build, 1, 0, "made\n");
    await finishAt(first, build, 1, 5);
    await finishAt(first, build, 2, 5);
  };
  expect(await reads(report)).toBe(0);
  expect(await get(build)).toMatchObject({ status: "passed", output: "made\n" });
});

it("a replica that has just changed a build collects its files without reading the record, which grows with them", async () => {
  await suite.submit(suite.users.ann);
  const [entry] = (await data.db.collection("builds").findOne({ status: "queued" }))!.artifacts;
  const collected = Array.from({ length: 2_000 }, (_, n) => ({
    ...entry,
    id: 1_000_000 + n,
    source: `${n}`,
    name: `${n}`,
  }));
  await data.db
    .collection("builds")
    .updateMany({ status: "queued" }, { $push: { artifacts: { $each: collected } } as never, $inc: { rev: 1 } });
  const build = (await first.queue.claimBuild({ runnerId: "r1", drivers: ["os"] })).assignment!;
  await finishAt(first, build, 0);
  const artifactId = build.jobs[1]!.artifacts[0]!.id;
  const put = (name: string) => {
    const header = { ...secrets(build), artifactId, source: name, name };
    return first.queue.putArtifact(sendUpload(header, Readable.from([Buffer.from(name)])));
  };
  const read = await bytesRead(async () => {
    for (const name of ["a", "b", "c"]) await put(name);
  });
  expect(read).toBeLessThan(50_000);
  await put("a");
  const { artifacts } = (await data.db
    .collection<{ _id: number }>("builds")
    .findOne({ _id: build.buildId })) as never as BuildDoc;
  expect(artifacts.filter(({ blobId }) => blobId).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  for (const nth of [1, 2]) await finishAt(first, build, nth);
});

it("reports that alternate between two replicas are all written, each once", async () => {
  const build = await claimAt(first);
  await finishAt(second, build, 0);
  for (const [nth, replica] of [first, second, second, first, second].entries())
    await printAt(replica, build, 1, nth, `${nth}`);
  // A repeated report changes nothing, whatever a replica remembers.
  await printAt(first, build, 1, 4, "4");
  await finishAt(first, build, 1, 5);
  await finishAt(first, build, 1, 5);
  await finishAt(second, build, 2, 5, "!");
  expect(await get(build)).toMatchObject({ status: "passed", output: "01234!" });
  const all = ["build.submitted", "build.started", "build.finished"];
  await eventually(() => expect(suite.kinds(build.buildId)).toEqual(all));
});

it("a replica that remembers a build heeds a kill at another one", async () => {
  const build = await claimAt(first);
  await finishAt(first, build, 0);
  const { userId, number } = build;
  await suite.as(suite.users.ann, () => second.builds.killBuild({ ref: { userId, number } }));
  expect(await finishAt(first, build, 1)).toEqual({ final: true });
  expect((await get(build)).status).toBe("killed");
});

it("a replica that remembers a build refuses its runner once another one has requeued the build", async () => {
  const build = await claimAt(first);
  await second.queue.returnBuild(secrets(build));
  expect((await fault(finishAt(first, build, 0))).code).toBe("conflict");
  const again = (await second.queue.claimBuild({ runnerId: "r2", drivers: ["os"] })).assignment!;
  expect((await fault(finishAt(first, build, 0))).code).toBe("conflict");
  for (const nth of [0, 1, 2]) await finishAt(nth === 1 ? first : second, again, nth, again.outputBytes);
  expect((await get(again)).status).toBe("passed");
});

it("the last queued build of a user takes them out of the line, unless another one is submitted meanwhile", async () => {
  await claimAt(first);
  const line = data.db.collection<{ _id: string }>("line");
  const _id = `os/${suite.users.ann.id}`;
  const claimNothing = async () =>
    expect((await first.queue.claimBuild({ runnerId: "r1", drivers: ["os"] })).assignment).toBeUndefined();
  // Right after a user's submission at one replica, the others keep the user's place.
  const isGone = () =>
    eventually(async () => {
      await claimNothing();
      expect(await line.findOne({ _id })).toBeNull();
    });
  await isGone();
  await suite.submit(suite.users.ann);
  await claimAt(first);
  expect(await line.findOne({ _id })).not.toBeNull();
  expect((await first.queue.claimBuild({ runnerId: "r1", drivers: ["os"] })).assignment).toBeDefined();
  await isGone();
});

it("a place that a process did not remove before its end is removed by a later claim", async () => {
  const place = {
    _id: `os/${suite.users.bob.id}`,
    driver: "os",
    userId: suite.users.bob.id,
    at: new Date(),
    joined: 1,
  };
  const line = data.db.collection<{ _id: string }>("line");
  await line.insertOne(place);
  expect((await first.queue.claimBuild({ runnerId: "r1", drivers: ["os"] })).assignment).toBeUndefined();
  await eventually(async () => expect(await line.findOne({ _id: place._id })).toBeNull());
});
