import { aBuild, after, aJob, t0 } from "../../test/_build.js";
import type { BuildDoc, Chunk } from "./build.js";
import { applyChange } from "./change.js";
import { append, finishJob } from "./moves.js";
import { toShortBuild } from "./shown-build.js";
import { shownTail } from "./side-by-side.js";
import { growthOf } from "./tail.js";

/** Returns a running build whose second job has printed this many single bytes. */
function printed(count: number, overrides: Partial<BuildDoc> = {}): BuildDoc {
  const tail = Array.from(
    { length: count },
    (_, n): Chunk => ({ job: 1, start: n, jobStart: n, bytes: 1, text: "x", at: t0 }),
  );
  const jobs = [
    aJob(1, { status: "passed" }),
    aJob(2, { status: "running", outputBytes: count }),
    aJob(3, { status: "running" }),
  ];
  return aBuild({ status: "running", epoch: 1, jobs, tail, outputBytes: count, ...overrides });
}

/** Prints text of the job with this index, at a time after the existing pieces. */
function print(doc: BuildDoc, job: number, text: string, ms = 0): BuildDoc {
  const { id, outputBytes: jobOffset } = doc.jobs[job]!;
  return applyChange(doc, append(doc, 1, { jobId: id, offset: doc.outputBytes, jobOffset, text }, after(ms))!);
}

const textOf = (chunks: readonly Chunk[]) => chunks.map(({ text }) => text).join("");

it("from 500 pieces on, the last piece grows with text that follows it", () => {
  const few = print(printed(499), 1, "ü");
  expect(few.tail).toHaveLength(500);
  const last = few.tail.at(-1);
  const grown = print(few, 1, "y\n", 999);
  expect(grown.tail).toHaveLength(500);
  expect(grown.tail.at(-1)).toEqual({ job: 1, start: 499, jobStart: 499, bytes: 4, text: "üy\n", at: t0 });
  expect(grown.tail.slice(0, -1)).toEqual(few.tail.slice(0, -1));
  expect(few.tail.at(-1)).toBe(last);
  expect(toShortBuild(grown).output).toBe(`${"x".repeat(499)}üy\n`);
  expect(print(grown, 1, "z", -999).tail.at(-1)!.text).toBe("üy\nz");
});

it.each<[string, number, string, number, Partial<Chunk>]>([
  ["text of another job", 2, "y", 0, {}],
  ["text that arrives a second later", 1, "y", 1_000, {}],
  ["text that arrives a second before it, by the clock of another replica", 1, "y", -1_000, {}],
  ["text that makes it longer than 4 KiB", 1, "y".repeat(4 * 1024), 0, {}],
  ["text after a piece without a time, which an older version has stored", 1, "y", 0, { at: undefined }],
  ["a job's text after a line about the build", 1, "y", 0, { job: undefined, jobStart: undefined }],
])("the last piece stays as it is before %s", (_what, job, text, ms, change) => {
  const before = printed(600);
  const doc = { ...before, tail: before.tail.map((chunk) => ({ ...chunk, ...change })) };
  const { tail } = print(doc, job, text, ms);
  expect(tail.slice(0, -1)).toEqual(doc.tail);
  expect(tail.at(-1)).toMatchObject({ job, start: 600, text });
});

it("a piece grows to 4 KiB, and then the next one begins", () => {
  const full = print(printed(500), 1, "y".repeat(4 * 1024 - 1));
  expect(full.tail).toHaveLength(500);
  expect(full.tail.at(-1)).toMatchObject({ start: 499, bytes: 4 * 1024 });
  const next = print(print(full, 1, "a"), 1, "b");
  expect(next.tail).toHaveLength(501);
  expect(next.tail.at(-1)).toMatchObject({ start: 499 + 4 * 1024, bytes: 2, text: "ab" });
});

it("a service's first text after it has become ready begins a piece, because its place in the output is another", () => {
  const service = { commands: [], service: "db" };
  const steps = [{ commands: [] }, service, { commands: ["true"] }];
  const starting = printed(600, { steps });
  const jobs = starting.jobs.map((job, at) => (at === 1 ? { ...job, status: "passed" as const } : job));
  const ready = print({ ...starting, jobs }, 1, "a");
  expect(ready.tail.at(-1)).toMatchObject({ start: 600, text: "a" });
  const more = print(ready, 1, "b");
  expect(more.tail.at(-1)).toMatchObject({ start: 600, bytes: 2, text: "ab" });
  expect(textOf(shownTail(more))).toBe(`${"x".repeat(600)}ab`);
});

it("the end of a job extends the last piece, and adds the build's last line", () => {
  const doc = printed(600);
  const jobs = doc.jobs.map((job, at) => (at === 2 ? { ...job, status: "failed" as const } : job));
  const report = { epoch: 1, jobId: 2, offset: 600, text: "y\n", outcome: "failed" as const, placed: [] };
  const change = finishJob({ ...doc, jobs }, { ...report, reason: "exit code 3" }, t0)!;
  const ended = applyChange(doc, change);
  expect(ended.tail).toHaveLength(601);
  expect(ended.tail.slice(-2)).toMatchObject([
    { start: 599, bytes: 3, text: "xy\n" },
    { start: 602, text: "Build failed: exit code 3\n" },
  ]);
  expect(ended.outputBytes).toBe(602 + "Build failed: exit code 3\n".length);
  expect(JSON.parse(change.events![0]!.json).build.output).toBe(textOf(ended.tail));
});

it("a piece that does not follow the last one stays apart", () => {
  const { tail } = printed(600);
  const later = { ...tail.at(-1)!, start: 601, jobStart: 601 };
  expect(growthOf({ tail }, [later])).toEqual({ added: [later] });
});
