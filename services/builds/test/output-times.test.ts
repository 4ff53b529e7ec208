import type { Assignment } from "@ci/proto/builds/v1/queue";
import type { BuildDoc } from "../src/domain/build.js";
import { after } from "./_build.js";
import { beside, stamped } from "./_stamped.js";
import { bootBuilds } from "./_suite.js";

const suite = bootBuilds();

type Ref = { userId: number; number: number };

async function claimed(manifest?: string) {
  const { userId, number } = await suite.submit(suite.users.ann, manifest);
  const { assignment } = await suite.queue.claimBuild({ runnerId: "r", drivers: ["os"], followsOrder: true });
  return { ref: { userId, number }, assignment: assignment! };
}

/** Prints as the runner does, one piece after another. */
function printer({ buildId, epoch, jobs }: Assignment, job: number, isBeside = false) {
  let offset = 0;
  return async (text: string) => {
    const place = isBeside ? { offset: 0, jobOffset: offset } : { offset };
    await suite.queue.appendOutput({ buildId, epoch, jobId: jobs[job]!.id, ...place, text });
    offset += Buffer.byteLength(text);
  };
}

const finish = ({ buildId, epoch, jobs }: Assignment, job: number) =>
  suite.queue.finishJob({
    buildId,
    epoch,
    jobId: jobs[job]!.id,
    outcome: "passed",
    offset: 0,
    text: "",
    placedObjectIds: [],
    followsOrder: true,
  });

/** Gives the stored pieces known times, a millisecond apart. */
async function stampPieces(buildId: number, texts: readonly string[]) {
  const times = texts.map((_, nth) => [`tail.${nth}.at`, after(nth)]);
  await suite.change(buildId, { $set: Object.fromEntries(times), $inc: { rev: 1 } });
  return texts.map((text, nth) => ({ text, at: after(nth) }));
}

/** Returns what a watcher receives from an offset to the end. */
const watched = (ref: Ref, { job, offset = 0 }: { job?: string; offset?: number } = {}) =>
  suite.as(suite.users.ann, async () => {
    const pieces: { text: string; offset: number }[] = [];
    for await (const { item } of suite.builds.watchOutput({ ref, job, offset, timestamps: true }))
      if (item?.$case === "piece") pieces.push(item.value);
    return { pieces, text: pieces.map(({ text }) => text).join("") };
  });

const messages = (ref: Ref, range: { job?: string; start?: number; end?: number } = {}, timestamps = true) =>
  suite.as(suite.users.ann, async () => {
    const chunks: Uint8Array[] = [];
    for await (const { chunk } of suite.builds.readOutput({ ref, ...range, timestamps })) chunks.push(chunk);
    return chunks;
  });

const read = async (...args: Parameters<typeof messages>) => Buffer.concat(await messages(...args)).toString();

it("a line has the time when its first piece arrived", async () => {
  const { ref, assignment } = await claimed();
  const print = printer(assignment, 0);
  const from = suite.now().getTime();
  await print("one\ntwo begins");
  suite.advanceClock(60_000);
  await print(", and ends\nthree\n");
  const lines = (await read(ref)).split("\n");
  expect(lines.map((line) => line.slice(25))).toEqual(["one", "two begins, and ends", "three", ""]);
  const [one, two, three] = lines.map((line) => Date.parse(line.slice(0, 24)));
  expect([one! >= from, two === one, three! - two! >= 60_000]).toEqual([true, true, true]);
  expect(three!).toBeLessThanOrEqual(suite.now().getTime());
});

it("a watcher that resumes at any offset receives the rest of the same text", async () => {
  const { ref, assignment } = await claimed();
  const texts = ["one\ntw", "o\n", "\n", "grü", "ße 🙂\n", "last"];
  const print = printer(assignment, 0);
  for (const text of texts) await print(text);
  const pieces = await stampPieces(assignment.buildId, texts);
  for (const job of [0, 1, 2]) await finish(assignment, job);
  const size = Buffer.byteLength(texts.join(""));
  for (const job of [undefined, "create-driver"])
    for (let offset = 0; offset <= size; offset++)
      expect([offset, (await watched(ref, { job, offset })).text]).toEqual([offset, stamped(pieces, offset)]);
  expect(await read(ref)).toBe(stamped(pieces));
  expect(await read(ref, { start: 4 })).toBe(stamped(pieces, 4));
  expect(await read(ref, { start: 5, end: 7 })).toBe("wo\n");
  expect(await read(ref, { start: size })).toBe("");
});

it("a long output keeps its times when its pieces move out of the record", async () => {
  const { ref, assignment } = await claimed();
  const print = printer(assignment, 0);
  const texts = Array.from({ length: 40 }, (_, nth) => `${nth} größer\n${"\n".repeat(2_000)}${"ü€".repeat(1_600)}`);
  for (const text of texts.slice(0, 18)) await print(text);
  await stampPieces(assignment.buildId, texts.slice(0, 18));
  const at = after(60_000);
  for (const text of texts.slice(18)) await print(text);
  const stored = suite.database().collection<BuildDoc>("builds");
  const { tail } = (await stored.findOne({ _id: assignment.buildId }))!;
  expect(tail[0]!.start).toBeGreaterThan(100_000);
  await suite.change(assignment.buildId, { $set: { "tail.$[].at": at }, $inc: { rev: 1 } });
  await suite
    .database()
    .collection("output")
    .updateMany({ buildId: assignment.buildId, at: { $gt: at } }, { $set: { at } });
  for (const job of [0, 1, 2]) await finish(assignment, job);
  const pieces = texts.map((text, nth) => ({ text, at: nth < 18 ? after(nth) : at }));
  const all = await watched(ref);
  expect(all.text === stamped(pieces)).toBe(true);
  expect((await read(ref, { job: "create-driver" })) === stamped(pieces)).toBe(true);
  expect(Math.max(...all.pieces.map(({ text }) => Buffer.byteLength(text)))).toBeLessThanOrEqual(8 * 1024);
  for (const timestamps of [true, false])
    for (const { length } of await messages(ref, {}, timestamps)) expect(length).toBeLessThanOrEqual(64 * 1024);
  for (const { offset } of all.pieces.filter((_, nth) => nth % 40 === 1))
    expect((await watched(ref, { offset })).text === stamped(pieces, offset)).toBe(true);
});

it("jobs that run side by side keep their times in the build's output", async () => {
  const { ref, assignment } = await claimed(beside);
  await finish(assignment, 0);
  const [a, b] = [printer(assignment, 1, true), printer(assignment, 2, true)];
  await b("b1\nb2");
  await a("a1\na");
  await b(" ends\n");
  await a("2\n");
  await stampPieces(assignment.buildId, ["", "", "", ""]);
  await finish(assignment, 2);
  await finish(assignment, 1);
  const ofA = [
    { text: "a1\na", at: after(1) },
    { text: "2\n", at: after(3) },
  ];
  const ofB = [
    { text: "b1\nb2", at: after(0) },
    { text: " ends\n", at: after(2) },
  ];
  expect((await watched(ref, { job: "b" })).text).toBe(stamped(ofB));
  for (let offset = 0; offset <= 18; offset++)
    expect((await watched(ref, { offset })).text).toBe(stamped([...ofA, ...ofB], offset));
});

it("output that an older version has stored has the time when its job started", async () => {
  const { ref, assignment } = await claimed();
  const print = printer(assignment, 0);
  await print("old\n");
  await print("new\n");
  await stampPieces(assignment.buildId, ["", ""]);
  await suite.change(assignment.buildId, { $unset: { "tail.0.at": true }, $set: { "jobs.0.startedAt": after(5) } });
  expect(await read(ref)).toBe(`${after(5).toISOString()} old\n${after(1).toISOString()} new\n`);
});
