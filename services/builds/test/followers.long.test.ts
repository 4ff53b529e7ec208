import { openMongo } from "@ci/kit/mongo/mongo";
import { eventually } from "@ci/testkit/eventually";
import type { Db } from "mongodb";
import { bootBuilds } from "./_suite.js";

const suite = bootBuilds();
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(suite.names.mongoUrl, `${suite.names.mongoDb}_builds`);
});
afterAll(() => mongo[Symbol.asyncDispose]());

/** Returns the number of reads of builds while `work` runs. */
async function readsDuring(db: Db, work: () => Promise<unknown>): Promise<number> {
  await db.command({ profile: 2 });
  await work();
  await db.command({ profile: 0 });
  const profile = await db
    .collection("system.profile")
    .find({ op: "query", ns: `${db.databaseName}.builds` })
    .toArray();
  return profile.length;
}

const started = async () => {
  const build = await suite.submit(suite.users.ann);
  const assignment = (await suite.claim())!;
  const append = (offset: number, text: string) =>
    suite.queue.appendOutput({ ...assignment, jobId: assignment.jobs[0]!.id, offset, text });
  return { ref: { userId: build.userId, number: build.number }, assignment, append };
};

it("any number of followers of a build share one reader of it", async () => {
  const { ref, assignment, append } = await started();
  const followers = 200;
  const received = Array.from({ length: followers }, () => "");
  const ends = received.map((_, nth) =>
    suite.as(suite.users.ann, async () => {
      for await (const { item } of suite.builds.watchOutput({ ref, offset: 0 })) {
        if (item?.$case === "piece") received[nth] += item.value.text;
        if (item?.$case === "end") return item.value.status;
      }
      throw new Error("The stream has no end");
    }),
  );
  const haveAll = async (text: string) =>
    eventually(() => expect(received.filter((one) => one === text)).toHaveLength(followers));
  await append(0, "joined\n");
  await haveAll("joined\n");
  const reads = await readsDuring(mongo.db, async () => {
    let text = "joined\n";
    for (let line = 0; line < 10; line++) {
      await append(text.length, "line\n");
      text += "line\n";
      await haveAll(text);
    }
  });
  // One for each change, one for each append, and one each second.
  expect(reads).toBeLessThan(followers);

  const { epoch, buildId } = assignment;
  expect((await suite.queue.renewLease({ buildId, epoch })).kill).toBe(false);
  for (const [index] of assignment.jobs.entries()) await suite.finish(assignment, index, "passed", "", 57);
  expect(new Set(await Promise.all(ends))).toEqual(new Set(["passed"]));
});

it("a follower gets small pieces that end at the border of a character, from the store and from the build", async () => {
  const { ref, assignment, append } = await started();
  const text = "a€😀ü".repeat(4_000);
  const bytes = Buffer.byteLength(text);
  for (let nth = 0; nth < 12; nth++) await append(nth * bytes, text);
  const followed = suite.as(suite.users.ann, async () => {
    const pieces: { text: string; offset: number }[] = [];
    for await (const { item } of suite.builds.watchOutput({ ref, job: "create-driver", offset: 0 })) {
      if (item?.$case === "piece") pieces.push(item.value);
      if (item?.$case === "end") break;
    }
    return pieces;
  });
  for (const [index] of assignment.jobs.entries()) await suite.finish(assignment, index, "passed", "", 12 * bytes);
  const pieces = await followed;
  expect(pieces.map((piece) => piece.text).join("") === text.repeat(12)).toBe(true);
  expect(Math.max(...pieces.map((piece) => Buffer.byteLength(piece.text)))).toBeLessThanOrEqual(8 * 1024);
  let offset = 0;
  for (const piece of pieces) {
    offset += Buffer.byteLength(piece.text);
    expect(piece.offset).toBe(offset);
  }
});
