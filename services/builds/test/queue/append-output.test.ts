import { bootBuilds, fault } from "../_suite.js";

const on = bootBuilds();

async function claimed() {
  const build = await on.submit(on.users.ann);
  const got = (await on.claim())!;
  const ref = { userId: build.userId, number: build.number };
  let offset = 0;
  return {
    got,
    ref,
    build,
    async say(text: string, at = offset) {
      const { buildId, epoch, jobs } = got;
      await on.queue.appendOutput({ buildId, epoch, jobId: jobs[0]!.id, offset: at, text });
      offset = at + Buffer.byteLength(text);
    },
    async read(range: { start?: number; end?: number; job?: string } = {}) {
      const chunks: Buffer[] = [];
      await on.as(on.users.ann, async () => {
        for await (const { chunk } of on.builds.readOutput({ ref, ...range })) chunks.push(Buffer.from(chunk));
      });
      return Buffer.concat(chunks).toString();
    },
  };
}

describe("answers", () => {
  it("keeps every byte, in the build's document and beyond it", async () => {
    const { say, read, got, ref } = await claimed();
    const pieces = Array.from({ length: 40 }, (_, n) => `${n} ${"ä".repeat(8_000)}\n`);
    for (const piece of pieces) await say(piece);
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
    const { builds } = await on.as(on.users.ann, () => on.builds.listBuilds({ tag: "", search: "" }));
    const listed = builds.find((one) => one.number === ref.number)!;
    expect(Buffer.byteLength(listed.output!)).toBeLessThanOrEqual(64 * 1024);
    expect(all.endsWith(listed.output!)).toBe(true);
    expect(listed.outputBytes).toBe(bytes.length);
    await on.finish(got, 0, "failed", "", bytes.length);
  });

  it("takes a repeated piece once", async () => {
    const { say, read, got } = await claimed();
    await say("once\n", 0);
    await say("once\n", 0);
    expect(await read()).toBe("once\n");
    await on.finish(got, 0, "failed", "", 5);
  });

  it("shows new text to those who watch, and the end", async () => {
    const { say, got, ref } = await claimed();
    await say("before\n");
    const heard: string[] = [];
    const watching = on.as(on.users.ann, async () => {
      for await (const { item } of on.builds.watchOutput({ ref, offset: 3 })) {
        if (item?.$case === "piece") heard.push(`${item.value.offset} ${item.value.text}`);
        if (item?.$case === "end") heard.push(`end ${item.value.status}`);
      }
    });
    await say("grün\n");
    await on.finish(got, 0, "failed", "last\n", 13);
    await watching;
    expect(heard.at(-1)).toBe("end failed");
    expect(
      heard
        .slice(0, -1)
        .map((line) => line.replace(/^\d+ /, ""))
        .join(""),
    ).toBe("ore\ngrün\nlast\n");
  });
});

describe("invalid", () => {
  it("refuses a piece that is too large", async () => {
    const { say, got } = await claimed();
    expect(await fault(say("x".repeat(300_000)))).toMatchObject({ code: "invalid" });
    await on.finish(got, 0, "failed");
  });
});

describe("conflict", () => {
  it("refuses a gap", async () => {
    const { say, got } = await claimed();
    expect(await fault(say("x", 7))).toMatchObject({ code: "conflict" });
    await on.finish(got, 0, "failed");
  });
});
