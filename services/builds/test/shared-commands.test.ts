import { duplicateKey } from "@ci/kit/mongo/duplicates";
import { startMongo } from "@ci/testkit/stores";
import { MongoClient } from "mongodb";
import type { BuildDoc } from "../src/domain/build.js";
import { buildInserter } from "../src/store/insert-builds.js";
import { shownBuilds } from "../src/store/shown-builds.js";
import { aBuild } from "./_build.js";
import { bootBuilds } from "./_suite.js";

const suite = bootBuilds();
let client: MongoClient;
const commands: string[] = [];

beforeAll(async () => {
  client = await new MongoClient(suite.names.mongoUrl, { monitorCommands: true, ignoreUndefined: true }).connect();
  client.on("commandStarted", ({ commandName }) => commands.push(commandName));
});
afterAll(() => client.close());
beforeEach(() => void commands.splice(0));

/** Users that the suite does not have. */
const [first, second] = [1_001, 1_002];
const builds = () => client.db(`${suite.names.mongoDb}_builds`).collection<BuildDoc>("builds");
const buildOf = (userId: number, number: number, id = 1_000 * userId + number) => aBuild({ _id: id, userId, number });
const inserter = (into = builds(), bytes = 1_000) => {
  const insert = buildInserter(into);
  return (doc: BuildDoc) => insert(doc, bytes);
};
const range = (length: number) => Array.from({ length }, (_, n) => n + 1);

it("builds that are inserted at once share a write, and only one whose number is taken is refused", async () => {
  const insert = inserter();
  await insert(buildOf(first, 5));
  commands.splice(0);
  const docs = [buildOf(first, 6), buildOf(first, 5, 1), ...range(10).map((number) => buildOf(second, number))];
  const results = await Promise.allSettled(docs.map(insert));
  const errors = results.map((result) => (result.status === "rejected" ? result.reason : undefined));
  expect(errors.map((error) => error !== undefined)).toEqual(docs.map((_, index) => index === 1));
  expect(duplicateKey(errors[1])).toBe(true);
  // The second one asks again for the refused build.
  expect(commands).toEqual(["insert", "insert"]);
  const stored = await builds().countDocuments({ _id: { $in: docs.map(({ _id }) => _id) } });
  expect(stored).toBe(docs.length - 1);
});

it("one write stores at most 8 MiB of builds", async () => {
  const insert = inserter(builds(), 3 * 1024 ** 2);
  await Promise.all(range(7).map((number) => insert(buildOf(second, 100 + number))));
  expect(commands).toEqual(["insert", "insert", "insert", "insert"]);
});

it("builds that share a write are not stored if MongoDB dies before it", async () => {
  await using server = await startMongo();
  await using own = new MongoClient(server.mongoUrl);
  const insert = inserter(own.db("builds").collection<BuildDoc>("builds"));
  await insert(buildOf(first, 1));
  await server.mongo.pause();
  const results = Promise.allSettled(range(5).map((number) => insert(buildOf(second, number))));
  await server.mongo.kill();
  // The driver does not wait for another MongoDB.
  await own.close();
  expect((await results).map(({ status }) => status)).toEqual(range(5).map(() => "rejected"));
});

it("builds that are looked up at once share a query, and every call gets its own build", async () => {
  const insert = inserter();
  const numbers = [21, 22, 23];
  await Promise.all([first, second].flatMap((userId) => numbers.map((number) => insert(buildOf(userId, number)))));
  commands.splice(0);
  const shown = shownBuilds(builds());
  const asked = [...numbers, ...numbers, 404].flatMap((number) =>
    [first, second].map((userId) => ({ userId, number })),
  );
  const found = await Promise.all(asked.map(({ userId, number }) => shown(userId, number)));
  expect(found.map((doc) => doc?._id)).toEqual(
    asked.map(({ userId, number }) => (number === 404 ? undefined : buildOf(userId, number)._id)),
  );
  expect(commands).toEqual(["find"]);
});

it("a build and a list are never older than the request, while others ask for the same and another replica writes", async () => {
  const { ann } = suite.users;
  const { number } = await suite.submit(ann);
  const { builds: other } = await suite.replica();
  const ref = { userId: ann.id, number };
  const get = async () => (await suite.builds.getBuild({ ref, brief: true })).build!.pinned;
  const list = async () => (await suite.builds.listBuilds({ tag: "", search: "" })).builds[0]!.pinned;
  let done = false;
  const askAgainAndAgain = async () => {
    while (!done) await Promise.all([get(), list()]);
  };
  await suite.as(ann, async () => {
    const others = range(4).map(askAgainAndAgain);
    for (const round of range(8)) {
      const pinned = round % 2 === 1;
      await other.pinBuild({ ref, pinned });
      expect(await Promise.all([get(), list()])).toEqual([pinned, pinned]);
    }
    done = true;
    await Promise.all(others);
  });
});
