import { bootBuilds, fault } from "../_suite.js";

const suite = bootBuilds();

async function claimed() {
  const build = await suite.submit(suite.users.ann);
  const assignment = (await suite.claim())!;
  const ref = { userId: build.userId, number: build.number };
  let offset = 0;
  return {
    assignment,
    ref,
    build,
    async append(text: string, at = offset) {
      const { buildId, epoch, jobs } = assignment;
      await suite.queue.appendOutput({ buildId, epoch, jobId: jobs[0]!.id, offset: at, text });
      offset = at + Buffer.byteLength(text);
    },
    async read(range: { start?: number; end?: number; job?: string } = {}) {
      const chunks: Buffer[] = [];
      await suite.as(suite.users.ann, async () => {
        for await (const { chunk } of suite.builds.readOutput({ ref, ...range })) chunks.push(Buffer.from(chunk));
      });
      return Buffer.concat(chunks).toString();
    },
  };
}

describe("succeeds", () => {
  it("every byte can be read, whether it is in the build's document or outside", async () => {
    const { append, read, assignment, ref } = await claimed();
    const pieces = Array.from({ length: 40 }, (_, n) => `${n} ${"ä".repeat(8_000)}\n`);
    for (const piece of pieces) await append(piece);
    const all = pieces.join("");
    expect(await read()).toBe(all);
    expect(await read({ job: "create-driver" })).toBe(all);
    expect(await read({ job: "unit" })).toBe("");
    const bytes = Buffer.from(all);
    for (const [start, end] of [
      [0, 0],
      [5, 16_010],
      [bytes.length - 3, bytes.length + 10],
      [400_000, 400_001],
    ] as const)
      expect(await read({ start, end })).toBe(bytes.subarray(start, end + 1).toString());
    const { builds } = await suite.as(suite.users.ann, () => suite.builds.listBuilds({ tag: "", search: "" }));
    const listed = builds.find((build) => build.number === ref.number)!;
    expect(Buffer.byteLength(listed.output!)).toBeLessThanOrEqual(64 * 1024);
    expect(all.endsWith(listed.output!)).toBe(true);
    expect(listed.outputBytes).toBe(bytes.length);
    const short = await suite.as(suite.users.ann, () => suite.builds.listBuilds({ tag: "", search: "", brief: true }));
    expect(short.builds).toEqual(builds.map((build) => ({ ...build, output: undefined })));
    await suite.finish(assignment, 0, "failed", "", bytes.length);
  });

  it("a repeated piece is stored once", async () => {
    const { append, read, assignment } = await claimed();
    await append("once\n", 0);
    await append("once\n", 0);
    expect(await read()).toBe("once\n");
    await suite.finish(assignment, 0, "failed", "", 5);
  });

  it("a watcher gets new text and the end", async () => {
    const { append, assignment, ref } = await claimed();
    await append("before\n");
    const received: string[] = [];
    const watching = suite.as(suite.users.ann, async () => {
      for await (const { item } of suite.builds.watchOutput({ ref, offset: 3 })) {
        if (item?.$case === "piece") received.push(`${item.value.offset} ${item.value.text}`);
        if (item?.$case === "end") received.push(`end ${item.value.status}`);
      }
    });
    await append("grün\n");
    await suite.finish(assignment, 0, "failed", "last\n", 13);
    await watching;
    expect(received.at(-1)).toBe("end failed");
    expect(
      received
        .slice(0, -1)
        .map((line) => line.replace(/^\d+ /, ""))
        .join(""),
    ).toBe("ore\ngrün\nlast\n");
  });
});

describe("invalid", () => {
  it("rejects a piece that is too large", async () => {
    const { append, assignment } = await claimed();
    expect(await fault(append("x".repeat(300_000)))).toMatchObject({ code: "invalid" });
    await suite.finish(assignment, 0, "failed");
  });
});

describe("conflict", () => {
  it("rejects a gap", async () => {
    const { append, assignment } = await claimed();
    expect(await fault(append("x", 7))).toMatchObject({ code: "conflict" });
    await suite.finish(assignment, 0, "failed");
  });
});
