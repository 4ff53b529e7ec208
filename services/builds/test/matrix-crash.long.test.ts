import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openMongo } from "@ci/kit/mongo/mongo";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { buildStore } from "../src/store/builds.js";
import { ensureAllIndexes } from "../src/store/indexes.js";

// Processes that store groups are killed at random moments.

const names = suite();
const size = 50;
const rounds = 25;
const dbName = `${names.mongoDb}_groups`;

const script = `
const { openMongo } = require(${JSON.stringify(join(__dirname, "../../../libs/kit/dist/mongo/mongo.js"))});
const { buildStore } = require(${JSON.stringify(join(__dirname, "../dist/store/builds.js"))});
const [url, name, group] = process.argv.slice(1);
(async () => {
  const { db } = await openMongo(url, name);
  const id = Number(group) * 1000;
  const text = "x".repeat(50_000);
  const doc = (n) => ({ _id: id + n, rev: 1, userId: 1, number: id + n, group: { id }, tags: [], outbox: [], text });
  process.stdout.write("ready\\n");
  await buildStore(db, () => {}).insert(Array.from({ length: ${size} }, (_, n) => doc(n)));
  process.stdout.write("stored\\n");
})();
`;

test("a group is completed, or nothing of it was ever stored, whenever its process is killed", async () => {
  const mongo = await openMongo(names.mongoUrl, dbName);
  await ensureAllIndexes(mongo.db);
  const builds = mongo.db.collection("builds");
  const countOf = (round: number) => builds.countDocuments({ "group.id": round * 1000 });
  const before: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const child = spawn(process.execPath, ["-e", script, names.mongoUrl, dbName, `${round}`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    child.stdout.on("data", (text) => {
      said += text;
    });
    await eventually(() => expect(said).toContain("ready"));
    // The last process is not killed before it is done, however slow the machine is.
    if (round === rounds) await eventually(() => expect(said).toContain("stored"));
    else await new Promise((resolve) => setTimeout(resolve, round * 2));
    child.kill("SIGKILL");
    await once(child, "exit");
    before.push(await countOf(round));
  }
  const store = buildStore(mongo.db, () => {});
  for (let left = 1; left > 0; ) left = await store.completeGroups(async () => {});
  for (let round = 1; round <= rounds; round++) {
    const count = await countOf(round);
    expect([0, size]).toContain(count);
    if (before[round - 1]! > 0) expect(count).toBe(size);
  }
  expect(before.at(-1)).toBe(size);
  await mongo[Symbol.asyncDispose]();
});
