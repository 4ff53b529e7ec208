import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds } from "../_suite.js";

const suite = bootBuilds();
const manifest = `
driver: {type: os}
parallel: [test]
jobs:
- {stage: test, name: a, commands: [a]}
- {stage: test, name: b, commands: [b]}
- {stage: end, name: c, commands: [c]}
`;

/** What a runner does with the jobs of a claimed build, by index. */
function runnerOf({ buildId, epoch, jobs, outputBytes }: Assignment) {
  const sizes = jobs.map((job) => job.outputBytes);
  const offsetOf = (job: number, text: string) => {
    const jobOffset = sizes[job]!;
    sizes[job]! += Buffer.byteLength(text);
    return { buildId, epoch, jobId: jobs[job]!.id, offset: outputBytes, jobOffset, text };
  };
  return {
    print: (job: number, text: string) => suite.queue.appendOutput(offsetOf(job, text)),
    end: (job: number, text = "") =>
      suite.queue.finishJob({ ...offsetOf(job, text), outcome: "passed", placedObjectIds: [], followsOrder: true }),
  };
}

/** Follows an output. `text` is what has come so far. */
function follow(ref: { userId: number; number: number }, job?: string) {
  const followed = { text: "", end: Promise.resolve() };
  followed.end = suite.as(suite.users.ann, async () => {
    for await (const { item } of suite.builds.watchOutput({ ref, job, offset: 0 }))
      if (item?.$case === "piece") followed.text += item.value.text;
  });
  return followed;
}

it("a parallel job's output is there at once, and in the build's output after the jobs before it", async () => {
  const { userId, number } = await suite.submit(suite.users.ann, manifest);
  const ref = { userId, number };
  const runner = runnerOf(
    (await suite.queue.claimBuild({ runnerId: "r", drivers: ["os"], followsOrder: true })).assignment!,
  );
  await runner.end(0);
  const [build, a, b] = [follow(ref), follow(ref, "a"), follow(ref, "b")];
  // More than stays in the record, so that older pieces of both jobs move out of it.
  const pieceOf = (job: string, n: number) => `${job}${n}`.repeat(10_000);
  const expected = { a: "", b: "" };
  for (let n = 0; n < 10; n++)
    for (const [index, job] of [
      [2, "b"],
      [1, "a"],
    ] as const) {
      await runner.print(index, pieceOf(job, n));
      expected[job] += pieceOf(job, n);
    }
  const equal = (one: string, other: string) => eventually(() => expect(one === other).toBe(true));
  await eventually(() => expect([a.text.length, b.text.length]).toEqual([200_000, 200_000]));
  await equal(a.text, expected.a);
  await equal(b.text, expected.b);
  await eventually(() => expect(build.text.length).toBe(200_000));
  await runner.end(2, "b ends\n");
  expect(build.text).toHaveLength(200_000);
  await runner.end(1, "a ends\n");
  const all = `${expected.a}a ends\n${expected.b}b ends\n`;
  await eventually(() => expect(build.text.length).toBe(all.length));
  expect(build.text === all).toBe(true);

  // Any range of it can be read, also across both jobs.
  const { build: read } = await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: false }));
  expect([read!.outputBytes, read!.output === all]).toEqual([all.length, true]);
  for (const start of [0, 5_000, 199_999, 200_003, 200_007, 399_990]) {
    const end = Math.min(start + 20_000, all.length - 1);
    const chunks: Uint8Array[] = [];
    await suite.as(suite.users.ann, async () => {
      for await (const { chunk } of suite.builds.readOutput({ ref, start, end })) chunks.push(chunk);
    });
    expect(Buffer.concat(chunks).toString() === all.slice(start, end + 1)).toBe(true);
  }
  expect(await runner.end(3)).toEqual({ final: true });
  await Promise.all([build.end, a.end, b.end]);
});
