import { suite } from "@ci/testkit/suite";
import { MongoClient } from "mongodb";
import { append } from "../src/domain/moves.js";
import { buildStore } from "../src/store/builds.js";
import { aBuild, aJob, t0 } from "./_build.js";

const names = suite();
let client: MongoClient;
const commands: string[] = [];

beforeAll(async () => {
  client = await new MongoClient(names.mongoUrl, { monitorCommands: true, ignoreUndefined: true }).connect();
  client.on("commandStarted", ({ commandName }) => commands.push(commandName));
});
afterAll(() => client.close());

it("reports that arrive at once are written one after another, and the record is not read for each, however large it is", async () => {
  const builds = buildStore(client.db(names.mongoDb), () => undefined);
  const jobs = Array.from({ length: 8 }, (_, n) => aJob(n, { status: "running" }));
  const manifest = "#".repeat(1024 ** 2);
  await builds.insert([aBuild({ _id: 1, number: 1, status: "running", epoch: 1, jobs, manifest })]);
  const print = ({ id }: { readonly id: number }) =>
    builds.change(1, (doc) => append(doc, 1, { jobId: id, offset: doc.outputBytes, jobOffset: 0, text: `${id}` }, t0));
  await print(jobs[0]!);
  commands.splice(0);
  await Promise.all(jobs.slice(1).map(print));
  expect(commands).toEqual(Array(7).fill("update"));
  const stored = await builds.byId(1);
  expect(stored.tail.map(({ text }) => text).join("")).toBe("01234567");
});

it("the records of builds that are cached have a limit together", async () => {
  const builds = buildStore(client.db(names.mongoDb), () => undefined);
  const ids = Array.from({ length: 12 }, (_, n) => 100 + n);
  const manifest = "#".repeat(5 * 1024 ** 2);
  for (const id of ids) await builds.insert([aBuild({ _id: id, number: id, status: "running", epoch: 1, manifest })]);
  const touch = (id: number) => builds.change(id, ({ pinned }) => ({ set: { pinned: !pinned } }));
  for (const id of ids) await touch(id);
  commands.splice(0);
  for (const id of ids.toReversed()) await touch(id);
  // The six most recent ones fit.
  expect(commands.filter((name) => name === "find")).toHaveLength(6);
});
