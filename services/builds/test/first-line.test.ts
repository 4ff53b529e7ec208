import { bootBuilds } from "./_suite.js";

const suite = bootBuilds();
const job = "create-driver";

/** Returns the number of the line in which a range begins, and the text of the range. */
const partFrom = (ref: { userId: number; number: number }, start: number, findsLine = true) =>
  suite.as(suite.users.ann, async () => {
    const lines: number[] = [];
    const chunks: Uint8Array[] = [];
    for await (const { chunk, firstLine } of suite.builds.readOutput({ ref, job, start, findsLine })) {
      chunks.push(chunk);
      if (firstLine !== undefined) lines.push(firstLine);
    }
    return { lines, text: Buffer.concat(chunks).toString() };
  });

test("a part of an output says in which line it begins, also if the lines before it are not in the build's record", async () => {
  const { userId, number } = await suite.submit(suite.users.ann);
  const { assignment } = await suite.queue.claimBuild({ runnerId: "r", drivers: ["os"], followsOrder: true });
  const { buildId, epoch, jobs } = assignment!;
  const textOf = (piece: number) => `${"é\n".repeat(5_000)}piece ${piece}\n\n${"long ".repeat(9_000)}`;
  let text = "";
  for (let piece = 0; piece < 6; piece++) {
    const place = { buildId, epoch, jobId: jobs[0]!.id, offset: Buffer.byteLength(text) };
    await suite.queue.appendOutput({ ...place, text: textOf(piece) });
    text += textOf(piece);
  }
  const bytes = Buffer.from(text);
  const ref = { userId, number };
  for (const start of [0, 1, 2, 3, 14_999, 15_010, 200_001, bytes.length - 2]) {
    const line = bytes.subarray(0, start).toString().split("\n").length;
    expect(await partFrom(ref, start)).toEqual({ lines: [line], text: bytes.subarray(start).toString() });
  }
  expect(await partFrom(ref, 200_001, false)).toMatchObject({ lines: [] });
});
