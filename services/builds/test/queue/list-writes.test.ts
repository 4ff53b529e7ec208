import { suite } from "@ci/testkit/suite";
import { BSON, MongoClient } from "mongodb";
import { collect } from "../../src/domain/artifacts.js";
import type { BuildDoc, Chunk } from "../../src/domain/build.js";
import { append } from "../../src/domain/moves.js";
import { type BuildStore, buildStore } from "../../src/store/builds.js";
import { aBuild, aJob, t0 } from "../_build.js";

const names = suite();
const matches = 200;
const written: number[] = [];
let client: MongoClient;
let builds: BuildStore;

beforeAll(async () => {
  client = await new MongoClient(names.mongoUrl, { monitorCommands: true, ignoreUndefined: true }).connect();
  client.on("commandStarted", ({ commandName, command }) => {
    if (commandName === "update") written.push(BSON.calculateObjectSize(command.updates[0]));
  });
  builds = buildStore(client.db(`${names.mongoDb}_written`), () => undefined);
});
afterAll(() => client.close());

const entry = (id: number, source: string) => ({ id, entryId: id, jobId: 2, source, name: source, createdAt: t0 });

async function running(id: number, overrides: Partial<BuildDoc>): Promise<BuildDoc> {
  const [build] = await builds.insert([aBuild({ _id: id, number: id, status: "running", epoch: 1, ...overrides })]);
  written.splice(0);
  return build!;
}

const nameOf = (nth: number) => `${nth}.txt`.padStart(10, "0");

/** Stores the nth match of the glob with the id 1. */
const store = ({ _id }: BuildDoc, nth: number, blobId = `b${nth}`, read?: BuildDoc) => {
  const name = nameOf(nth);
  const file = { artifactId: 1, source: name, name, blobId, size: 5, md5: "m", sha256: "s" };
  return builds.change(_id, (doc) => collect(doc, 1, file, 1_000 + nth), read);
};

const artifactsOf = async ({ _id }: BuildDoc) =>
  (await builds.byId(_id)).artifacts.map(({ id, source, blobId }) => [id, source, blobId]);

it("storing a match of a glob writes its own record only, however many there are", async () => {
  const build = await running(1, { artifacts: [entry(1, "*.txt"), entry(2, "other")] });
  let after = build;
  for (let nth = 0; nth < matches; nth++) after = await store(build, nth);
  const [, second, ...others] = written;
  expect(others).toHaveLength(matches - 2);
  for (const bytes of others) expect(bytes).toBeLessThanOrEqual(second! + 100);
  expect(await artifactsOf(build)).toEqual(after.artifacts.map(({ id, source, blobId }) => [id, source, blobId]));
  expect(after.artifacts).toHaveLength(matches + 1);

  await store(build, 20, "again");
  const now = await artifactsOf(build);
  expect(now[21]).toEqual([1_020, nameOf(20), "again"]);
  expect(now).toHaveLength(matches + 1);
  expect(Math.max(...written)).toBeLessThanOrEqual(second! + 100);
});

it("a match that is based on an older state of the build replaces no other record", async () => {
  const build = await running(2, { artifacts: [entry(1, "*.txt")] });
  const read = await store(build, 0);
  await store(build, 1);
  await store(build, 2, "b2", read);
  expect((await artifactsOf(build)).map(([, , blobId]) => blobId)).toEqual(["b0", "b1", "b2"]);
});

it.each([0, 600])("output of a job after %d pieces writes the record of this job only", async (count) => {
  const piecesOf = (n: number): Chunk => ({ job: 7, start: n, jobStart: n, bytes: 1, text: "x", at: t0 });
  const tail = Array.from({ length: count }, (_, n) => piecesOf(n));
  const jobs = Array.from({ length: matches }, (_, nth) => aJob(nth, { status: nth === 7 ? "running" : "queued" }));
  const build = await running(3 + count, { jobs, tail, outputBytes: count });
  const piece = { jobId: 7, offset: count, jobOffset: 0, text: "made\n" };
  await builds.change(build._id, (doc) => append(doc, 1, piece, t0));
  expect(written).toHaveLength(1);
  expect(written[0]).toBeLessThan(1_000);
  const stored = await builds.byId(build._id);
  expect(stored.jobs.map(({ outputBytes }) => outputBytes)).toEqual(jobs.map((_, nth) => (nth === 7 ? 5 : 0)));
  expect(stored.tail).toHaveLength(count || 1);
  expect(stored.tail.map(({ text }) => text).join("")).toBe(`${"x".repeat(count)}made\n`);
});
