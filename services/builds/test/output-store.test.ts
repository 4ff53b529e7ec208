import { openMongo } from "@ci/kit/mongo/mongo";
import { suite } from "@ci/testkit/suite";
import type { BuildDoc, Chunk } from "../src/domain/build.js";
import { ensureAllIndexes } from "../src/store/indexes.js";
import { outputStore } from "../src/store/output.js";
import { aBuild } from "./_build.js";

const names = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
  await ensureAllIndexes(mongo.db);
});
afterAll(() => mongo[Symbol.asyncDispose]());

const bytes = 10_000;
const letters = [..."abcdefghijklmnopqrstuvwxyz"];

/** Returns a build whose output is 10,000 of each letter, all of it still in its document. */
function buildWithOutput(): BuildDoc {
  const tail = letters.map(
    (letter, n): Chunk => ({
      job: 1,
      start: n * bytes,
      jobStart: n * bytes,
      bytes,
      text: letter.repeat(bytes),
    }),
  );
  return aBuild({ outputBytes: letters.length * bytes, tail });
}

it("every byte is read once, even after a crash between storing output pieces and trimming the document", async () => {
  const output = outputStore(mongo.db);
  const doc = buildWithOutput();
  const tailFrom = await output.spill(doc);
  expect(tailFrom).toBeGreaterThan(0);
  // A repetition, as after a crash, does no harm.
  expect(await output.spill(doc)).toBe(tailFrom);
  const trimmed = { ...doc, tailFrom: tailFrom!, tail: doc.tail.filter((chunk) => chunk.start >= tailFrom!) };
  const all = letters.map((letter) => letter.repeat(bytes)).join("");
  for (const state of [doc, trimmed])
    for (const job of [undefined, 1]) {
      const read: Buffer[] = [];
      for await (const piece of output.read(state, { job, start: 0, end: doc.outputBytes })) read.push(piece);
      expect(Buffer.concat(read).toString() === all).toBe(true);
    }
});

it("a slow reader of old output holds one block, whatever the size of the pieces", async () => {
  const output = outputStore(mongo.db);
  for (const [id, pieceBytes, count] of [
    [501, 256 * 1024, 40],
    [502, 1_000, 500],
  ] as const) {
    const tail = Array.from({ length: count }, (_, n): Chunk => {
      const start = n * pieceBytes;
      return { job: 1, start, jobStart: start, bytes: pieceBytes, text: letters[n % 26]!.repeat(pieceBytes) };
    });
    const outputBytes = count * pieceBytes;
    const doc = aBuild({ _id: id, outputBytes, tail });
    const tailFrom = (await output.spill(doc))!;
    const trimmed = { ...doc, tailFrom, tail: tail.filter((chunk) => chunk.start >= tailFrom) };
    await mongo.db.command({ profile: 2 });
    const reader = output.read(trimmed, { start: 0, end: outputBytes });
    const first = (await reader.next()).value as Buffer;
    await mongo.db.command({ profile: 0 });
    const answers = await mongo.db.collection("system.profile").find({ "command.filter.buildId": id }).toArray();
    expect(answers.reduce((sum, { responseLength }) => sum + responseLength, 0)).toBeLessThan(600 * 1024);
    const blocks = [first];
    for await (const block of reader) blocks.push(block);
    expect(Buffer.concat(blocks).toString() === tail.map(({ text }) => text).join("")).toBe(true);
    expect(Math.max(...blocks.map(({ length }) => length))).toBeLessThanOrEqual(256 * 1024);
  }
});
