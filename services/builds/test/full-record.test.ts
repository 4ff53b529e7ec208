import { openMongo } from "@ci/kit/mongo/mongo";
import { suite } from "@ci/testkit/suite";
import { BSON } from "mongodb";
import { collect } from "../src/domain/artifacts.js";
import type { ArtifactDoc, BuildDoc, Chunk } from "../src/domain/build.js";
import { applyChange, buildEvent, type Change, requireEventRoom, withEvent } from "../src/domain/change.js";
import { append, claim, finishJob } from "../src/domain/moves.js";
import { lose } from "../src/domain/take-back.js";
import { type BuildStore, buildStore } from "../src/store/builds.js";
import { outputStore } from "../src/store/output.js";
import { aBuild, aJob, t0 } from "./_build.js";

const names = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
let builds: BuildStore;

beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  builds = buildStore(mongo.db, () => undefined);
});
afterAll(() => mongo[Symbol.asyncDispose]());

const mib = 1024 ** 2;
const jobCount = 500;
/** Takes six bytes in the text of an event. */
const control = "\u0001";
const pieces = 2_000;

const entry = (id: number): ArtifactDoc => ({
  id,
  entryId: id,
  jobId: jobCount,
  source: id === 1 ? "*" : `out/${id}.txt`,
  name: id === 1 ? "*" : `${id}.txt`,
  createdAt: t0,
});

/** A queued build of this size, with as many jobs and artifacts as a manifest can have. */
function largeBuild(id: number, bytes: number): BuildDoc {
  const jobs = Array.from({ length: jobCount }, (_, n) => aJob(n + 1));
  const steps = jobs.map(() => ({ commands: ["make"] }));
  const artifacts = Array.from({ length: 5_000 }, (_, n) => entry(n + 1));
  const made = (manifest: string): BuildDoc => {
    const doc = aBuild({ _id: id, number: id, jobs, steps, artifacts, manifest });
    return { ...doc, outbox: [buildEvent(doc, "build.queued", t0)] };
  };
  const small = made("#".repeat(mib));
  return made("#".repeat(mib + bytes - BSON.calculateObjectSize(small) - 5 * small.outbox[0]!.json.length));
}

/** Adds events of a user until no more are accepted. */
function pinUntilFull(doc: BuildDoc): Change {
  const pin = withEvent(doc, { set: {} }, "build.pinned", t0, { actorId: 7 });
  const events = [...pin.events!];
  const isFull = () => {
    try {
      requireEventRoom({ ...doc, outbox: [...doc.outbox, ...events] });
      return false;
    } catch {
      return true;
    }
  };
  while (!isFull()) events.push(pin.events![0]!);
  return { ...pin, events: events.slice(1) };
}

const tagged = (doc: BuildDoc): Change => {
  const name = (n: number) => String.fromCodePoint(...Array.from({ length: 100 }, (_, at) => 0x1f600 + n * 20 + at));
  const tags = Array.from({ length: 50 }, (_, n) => ({
    id: n,
    userId: 7,
    buildId: doc._id,
    name: name(n),
    createdAt: t0,
  }));
  return { set: { tags } };
};

/** Prints as many pieces as the record can hold, and then as much as one message can. */
const printed = (doc: BuildDoc): Change => {
  const start = doc.outputBytes;
  const output = Array.from({ length: pieces - doc.tail.length - 1 }, (_, n): Chunk => {
    return { job: 0, start: start + n, jobStart: start + n, bytes: 1, text: "x", at: t0 };
  });
  const after = applyChange(doc, { set: { outputBytes: start + output.length }, output });
  const text = control.repeat(256 * 1024);
  const last = append(after, doc.epoch, { jobId: 1, offset: after.outputBytes, text }, t0)!;
  return { set: last.set, output: [...output, ...last.output!] };
};

const stored = (n: string) => ({
  blobId: n.padEnd(36, "b"),
  size: 50 * mib,
  md5: "m".repeat(32),
  sha256: "s".repeat(64),
});

/** Collects every entry's file, and matches of the glob until they are refused. */
function collected(doc: BuildDoc): Change {
  const all = doc.artifacts.map((one) => (one.id === 1 ? one : { ...one, ...stored(`${one.id}`) }));
  let full: BuildDoc = { ...doc, artifacts: all };
  for (let n = 0; ; n++) {
    const name = `${n}`.padEnd(20_000, "n");
    try {
      full = applyChange(
        full,
        collect(full, doc.epoch, { artifactId: 1, source: name, name, ...stored(`m${n}`) }, 10_000 + n),
      );
    } catch {
      return { set: { artifacts: full.artifacts, artifactBytes: full.artifactBytes } };
    }
  }
}

/** Ends all jobs but the first one, each with the longest reason. */
const almostEnded = ({ jobs }: BuildDoc): Change => {
  const counts = { passed: 1e6, failed: 1e6, skipped: 1e6 };
  const end = {
    status: "failed",
    startedAt: t0,
    finishedAt: t0,
    exitCode: 255,
    reason: "€".repeat(500),
    tests: counts,
  };
  return { set: { jobs: jobs.map((job, n) => (n === 0 ? job : { ...job, ...end })) as never } };
};

const change = (id: number, decide: (doc: BuildDoc) => Change | undefined) => builds.change(id, decide);
const claimIt = (doc: BuildDoc) => claim(doc, { runnerId: "r1", leaseHash: "h" }, 600_000, t0);

async function spill(doc: BuildDoc): Promise<void> {
  const tailFrom = await outputStore(mongo.db).spill(doc);
  if (tailFrom !== undefined) await builds.trimTail(doc._id, tailFrom);
}

const sizeOf = async (id: number) => BSON.calculateObjectSize(await builds.byId(id));

it("a build of the largest record ends, however much users, jobs and lost runners add to it while NATS is down", async () => {
  const largest = largeBuild(1, 7 * mib - 100);
  const refused = builds.insert([largeBuild(2, 7 * mib + 1)]);
  expect(await refused.catch((error) => error.fields)).toEqual({
    manifest: [
      "Manifest makes a build of more than 7 MiB; use fewer jobs, shorter commands, or fewer or shorter variables",
    ],
  });
  await builds.insert([largest]);
  await change(1, tagged);
  await change(1, claimIt);
  await change(1, pinUntilFull);
  await spill(await change(1, printed));
  await change(1, (doc) => withEvent(doc, { set: { pinned: true } }, "build.pinned", t0));
  for (const id of [1, 2]) {
    await change(1, collected);
    const { lease } = await builds.byId(1);
    await spill(await change(1, (doc) => lose(doc, lease!, { returns: 2, tagId: id }, t0)));
    await change(1, claimIt);
    await spill(await change(1, printed));
  }
  await change(1, collected);
  await change(1, almostEnded);
  await change(1, printed);
  const end = (doc: BuildDoc) => {
    const piece = { jobId: 1, offset: doc.outputBytes, text: control.repeat(256 * 1024) };
    return finishJob(doc, { ...piece, epoch: doc.epoch, outcome: "failed", placed: [] }, t0);
  };
  expect((await change(1, end)).status).toBe("failed");
  expect(await sizeOf(1)).toBeGreaterThan(15 * mib);
});

it("a build of 8 MiB that an earlier version has stored runs to its end", async () => {
  await mongo.db.collection<BuildDoc>("builds").insertOne(largeBuild(3, 8 * mib));
  await change(3, claimIt);
  await spill(await change(3, printed));
  await change(3, collected);
  await change(3, almostEnded);
  const end = (doc: BuildDoc) => {
    const piece = { jobId: 1, offset: doc.outputBytes, text: "" };
    return finishJob(doc, { ...piece, epoch: doc.epoch, outcome: "failed", placed: [] }, t0);
  };
  expect((await change(3, end)).status).toBe("failed");
});
