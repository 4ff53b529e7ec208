import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
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

/** Counts how often builds are read by their id while `work` runs. */
async function reads(work: () => Promise<unknown>): Promise<number> {
  await data.db.dropCollection("system.profile");
  await data.db.command({ profile: 2 });
  await work();
  await data.db.command({ profile: 0 });
  const ns = `${data.db.databaseName}.builds`;
  const ofOne = { ns, op: "query", "command.filter._id": { $type: "number" } };
  return data.db.collection("system.profile").countDocuments(ofOne);
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
  await eventually(async () => expect(await line.findOne({ _id })).toBeNull());
  await suite.submit(suite.users.ann);
  await claimAt(first);
  expect(await line.findOne({ _id })).not.toBeNull();
  expect((await first.queue.claimBuild({ runnerId: "r1", drivers: ["os"] })).assignment).toBeDefined();
  await eventually(async () => expect(await line.findOne({ _id })).toBeNull());
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
