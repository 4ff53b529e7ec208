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
