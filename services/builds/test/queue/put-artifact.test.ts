import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { sendUpload } from "@ci/kit/bytes/upload";
import type { ArtifactHeader } from "@ci/proto/builds/v1/queue";
import { bootBuilds, fault } from "../_suite.js";

const suite = bootBuilds();

const upload = (header: ArtifactHeader, chunks: Iterable<Buffer>) => sendUpload(header, Readable.from(chunks));

async function claimed() {
  const build = await suite.submit(suite.users.ann);
  const assignment = (await suite.claim())!;
  await suite.finish(assignment, 0, "passed");
  const ref = { userId: build.userId, number: build.number };
  const header = {
    buildId: assignment.buildId,
    epoch: assignment.epoch,
    artifactId: assignment.jobs[1]!.artifacts[0]!.id,
  };
  const get = async (name = "out.txt") =>
    (await suite.as(suite.users.ann, () => suite.builds.getArtifact({ ref, name }))).artifact!;
  return { assignment, ref, header, get };
}

async function read(ref: { userId: number; number: number }, range: { start?: number; end?: number } = {}) {
  const chunks: Buffer[] = [];
  await suite.as(suite.users.ann, async () => {
    for await (const { chunk } of suite.builds.readArtifact({ ref, name: "out.txt", ...range }))
      chunks.push(Buffer.from(chunk));
  });
  return Buffer.concat(chunks);
}

describe("succeeds", () => {
  it("stores the content with its hashes", async () => {
    const { ref, header, get, assignment } = await claimed();
    const content = Buffer.from("0123456789");
    expect(await suite.queue.putArtifact(upload(header, [content.subarray(0, 4), content.subarray(4)]))).toEqual({
      size: 10,
    });
    expect(await get()).toMatchObject({
      size: 10,
      md5: createHash("md5").update(content).digest("hex"),
      sha256: createHash("sha256").update(content).digest("hex"),
    });
    expect(await read(ref)).toEqual(content);
    expect((await read(ref, { start: 2, end: 5 })).toString()).toBe("2345");
    await suite.finish(assignment, 1, "failed");
  });
});

describe("invalid", () => {
  it("refuses a file before reading it if the records of all matches are too large", async () => {
    const { header, assignment } = await claimed();
    const big = Array.from({ length: 5 }, () => Buffer.alloc(16 * 1024));
    const name = "n".repeat(1.5 * 1024 ** 2);
    expect(await fault(suite.queue.putArtifact(upload({ ...header, source: name, name }, big)))).toMatchObject({
      code: "invalid",
      fields: { file: [expect.stringMatching(/^too many files match /)] },
    });
    await suite.finish(assignment, 1, "failed");
  });

  it("stores nothing of an artifact that is too large", async () => {
    const { ref, header, get, assignment } = await claimed();
    const big = Array.from({ length: 5 }, () => Buffer.alloc(16 * 1024));
    expect(await fault(suite.queue.putArtifact(upload(header, big)))).toMatchObject({ code: "invalid" });
    expect((await get()).size).toBeUndefined();
    expect(await fault(read(ref))).toMatchObject({ code: "not_found" });
    await suite.finish(assignment, 1, "failed");
  });
});

describe("unavailable", () => {
  it("stores nothing of an incomplete upload", async () => {
    const { header, get, assignment } = await claimed();
    async function* half() {
      for await (const message of upload(header, [Buffer.from("half")]))
        if (message.part.$case !== "end") yield message;
    }
    expect(await fault(suite.queue.putArtifact(half()))).toMatchObject({ code: "unavailable" });
    expect((await get()).size).toBeUndefined();
    await suite.finish(assignment, 1, "failed");
  });
});

describe("conflict", () => {
  it("rejects an old epoch", async () => {
    const { header, get, assignment } = await claimed();
    const old = { ...header, epoch: 0 };
    expect(await fault(suite.queue.putArtifact(upload(old, [Buffer.from("x")])))).toMatchObject({ code: "conflict" });
    expect((await get()).size).toBeUndefined();
    await suite.finish(assignment, 1, "failed");
  });
});
