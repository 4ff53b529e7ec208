import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import type { BuildDoc, Chunk } from "../src/domain/build.js";
import { append } from "../src/domain/moves.js";
import { buildStore } from "../src/store/builds.js";
import { outputStore } from "../src/store/output.js";
import { after } from "./_build.js";
import { beside, stamped } from "./_stamped.js";
import { bootBuilds, type clients } from "./_suite.js";

type Ref = { userId: number; number: number };
const suite = bootBuilds();
const at = after(60_000);
/** A replica whose clock stands still: all its pieces arrive at the same time. */
let replica: ReturnType<typeof clients>;
beforeAll(async () => {
  replica = await suite.replica(() => at);
});

const builds = () => suite.database().collection<BuildDoc>("builds");
const store = () => buildStore(suite.database(), () => {});
const stored = async (id: number) => (await builds().findOne({ _id: id }))!;
const end = ({ buildId, epoch, jobs }: Assignment, job: number) =>
  replica.queue.finishJob({
    ...{ buildId, epoch, jobId: jobs[job]!.id, outcome: "passed", offset: 0, text: "" },
    ...{ placedObjectIds: [], followsOrder: true },
  });

async function claimed(manifest?: string) {
  const { userId, number } = await suite.submit(suite.users.ann, manifest);
  const { assignment } = await replica.queue.claimBuild({ runnerId: "r", drivers: ["os"], followsOrder: true });
  return { ref: { userId, number }, assignment: assignment!, id: assignment!.buildId };
}

/** Stores single bytes that jobs have printed in turn, each a millisecond after the last one. */
async function seed(id: number, count: number, turns: readonly number[] = [0]): Promise<string[]> {
  const { jobs, parts } = await stored(id);
  const texts = Array.from({ length: count }, (_, n) => (n % 7 === 6 ? "\n" : String(n % 10)));
  const tail = texts.map((text, n): Chunk => {
    const [job, jobStart] = [turns[n % turns.length]!, Math.floor(n / turns.length)];
    return { job, start: n, jobStart, bytes: 1, text, at: after(n) };
  });
  const bytesOf = (job: number) => tail.filter((chunk) => chunk.job === job).length;
  await suite.change(id, {
    $inc: { rev: 1 },
    $set: {
      tail,
      jobs: jobs.map((job, nth) => ({ ...job, outputBytes: bytesOf(nth) })),
      ...(parts ? { parts: parts.map((part) => ({ ...part, bytes: bytesOf(part.job) })) } : {}),
      outputBytes: parts ? bytesOf(turns[0]!) : count,
    },
  });
  return texts;
}

/** Prints as the runner does, one piece after another, from this offset on. */
function printer({ buildId, epoch, jobs }: Assignment, job: number, from: number, isBeside = false) {
  let offset = from;
  return async (text: string) => {
    const place = isBeside ? { offset: 0, jobOffset: offset } : { offset };
    await replica.queue.appendOutput({ buildId, epoch, jobId: jobs[job]!.id, ...place, text });
    offset += Buffer.byteLength(text);
  };
}

interface Reading {
  readonly job?: string;
  readonly start?: number;
  readonly timestamps?: boolean;
}

const read = (ref: Ref, reading: Reading = {}) =>
  suite.as(suite.users.ann, async () => {
    const chunks: Uint8Array[] = [];
    for await (const { chunk } of replica.builds.readOutput({ ref, timestamps: false, ...reading })) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  });

/** Follows an output through a replica; `received` grows until `ended`. */
function follow(ref: Ref, job?: string, by: Pick<typeof replica, "builds"> = replica) {
  const following = { received: "", ended: undefined as never as Promise<void> };
  following.ended = suite.as(suite.users.ann, async () => {
    for await (const { item } of by.builds.watchOutput({ ref, job, offset: 0 })) {
      if (item?.$case === "piece") following.received += item.value.text;
      if (item?.$case === "piece") expect(item.value.offset).toBe(Buffer.byteLength(following.received));
    }
  });
  return following;
}

it("tiny pieces of one job are joined, and a reader or a follower gets each byte once", async () => {
  const { ref, assignment, id } = await claimed();
  const old = await seed(id, 480);
  const followers = [follow(ref), follow(ref, "create-driver"), follow(ref, undefined, suite)];
  const print = printer(assignment, 0, 480);
  const texts = Array.from({ length: 150 }, (_, n) => ["a", "ü\n", "🙂", "\n"][n % 4]!);
  for (const [nth, text] of texts.entries()) {
    await print(text);
    if (nth % 50 !== 30) continue;
    // Readings end in the middle of a piece that then grows.
    const printed = [...old, ...texts.slice(0, nth + 1)].join("");
    await eventually(() => expect(followers.every(({ received }) => received === printed)).toBe(true));
  }
  const { tail } = await stored(id);
  expect(tail).toHaveLength(500);
  expect(tail.at(-1)).toMatchObject({ start: 480 + Buffer.byteLength(texts.slice(0, 19).join("")), at });
  expect(tail.at(-1)!.text).toBe(texts.slice(19).join(""));
  for (const job of [0, 1, 2]) await end(assignment, job);
  const all = [...old, ...texts].join("");
  for (const { received, ended } of followers) {
    await ended;
    expect(received === all).toBe(true);
  }
  const pieces = [...old.map((text, n) => ({ text, at: after(n) })), ...texts.map((text) => ({ text, at }))];
  for (const job of [undefined, "create-driver"])
    for (const start of [0, 479, 499, 525, 528, 533, 600])
      for (const timestamps of [false, true]) {
        const expected = timestamps ? stamped(pieces, start) : Buffer.from(all).subarray(start).toString();
        expect((await read(ref, { job, start, timestamps })) === expected).toBe(true);
      }
});

it("tiny pieces of two jobs in turn move out of the record by their number", async () => {
  const { ref, assignment, id } = await claimed(beside);
  await end(assignment, 0);
  const old = await seed(id, 1_980, [1, 2]);
  const [followA, followB] = [follow(ref, "a"), follow(ref, "b")];
  const [a, b] = [printer(assignment, 1, 990, true), printer(assignment, 2, 990, true)];
  for (let n = 0; n < 20; n++) {
    await a("a\n");
    await b("ü\n");
  }
  const { tail, tailFrom } = await stored(id);
  expect(tail.length).toBe(1_000 + 19);
  expect(tail[0]!.start).toBe(tailFrom);
  await end(assignment, 2);
  await end(assignment, 1);
  const [ofA, ofB] = [0, 1].map((which) => old.filter((_, n) => n % 2 === which).join("")) as [string, string];
  const [textA, textB] = [ofA + "a\n".repeat(20), ofB + "ü\n".repeat(20)];
  for (const start of [0, 489, 490, 500, 995])
    for (const [job, text] of [
      ["a", textA],
      ["b", textB],
      [undefined, textA + textB],
    ] as const)
      expect((await read(ref, { job, start })) === Buffer.from(text).subarray(start).toString()).toBe(true);
  for (const [{ received, ended }, text] of [
    [followA, textA],
    [followB, textB],
  ] as const) {
    await ended;
    expect(received === text).toBe(true);
  }
});

it("a replica that moves pieces out of a build that it read before moves none that has grown since", async () => {
  const { ref, assignment, id } = await claimed();
  const old = await seed(id, 2_001);
  await suite.change(id, { $inc: { rev: 1 }, $set: { "tail.2000.at": at } });
  const before = await stored(id);
  const print = printer(assignment, 0, 2_001);
  for (const text of ["y", "ü"]) await print(text);
  expect((await stored(id)).tail.at(-1)).toMatchObject({ start: 2_000, text: `${old.at(-1)}yü` });
  const tailFrom = await outputStore(suite.database()).spill(before);
  await store().trimTail(id, tailFrom!);
  expect((await stored(id)).tail).toHaveLength(1_000);
  await print("z\n");
  for (const job of [0, 1, 2]) await end(assignment, job);
  for (const job of [undefined, "create-driver"]) expect(await read(ref, { job })).toBe(`${old.join("")}yüz\n`);
});

describe("a change of a build that was read before", () => {
  const print = (text: string) => (doc: BuildDoc) => {
    const { epoch, jobs, outputBytes: offset } = doc;
    return append(doc, epoch, { jobId: jobs[0]!.id, offset, text }, after(2_500))!;
  };

  it.each([
    ["", undefined],
    [", also with a lease", 60_000],
  ])("extends the last piece after a trim%s", async (_how, leaseMs) => {
    const { ref, id } = await claimed();
    const old = await seed(id, 2_001);
    const before = await stored(id);
    await store().trimTail(id, (await outputStore(suite.database()).spill(before))!);
    const written = await store().change(id, (doc) => ({ ...print("y")(doc), leaseMs }), before);
    const { tail, rev, lease } = await stored(id);
    expect(tail).toHaveLength(1_000);
    expect(tail.at(-1)).toMatchObject({ start: 2_000, bytes: 2, text: `${old.at(-1)}y` });
    expect(tail.at(-1)).toEqual(written.tail.at(-1));
    expect(rev).toBe(before.rev + 1);
    expect(lease!.until! < before.lease!.until!).toBe(leaseMs !== undefined);
    expect(await read(ref)).toBe(`${old.join("")}y`);
  });

  it("extends no piece that is gone", async () => {
    const { id } = await claimed();
    await seed(id, 1_900);
    const before = await stored(id);
    await suite.change(id, { $pop: { tail: 1 } });
    await store().change(id, print("y"), before);
    const { tail } = await stored(id);
    expect(tail.slice(-2)).toMatchObject([
      { start: 1_898, bytes: 1 },
      { start: 1_900, bytes: 1, text: "y" },
    ]);
  });
});
