import { aBuild, after, t0 } from "../../test/_build.js";
import type { BuildDoc } from "./build.js";
import { applyChange } from "./change.js";
import { claim, finishJob, type JobReport } from "./moves.js";
import { finishPrepared } from "./prepared.js";
import { shownTail } from "./side-by-side.js";

function running(): BuildDoc {
  const doc = aBuild();
  return applyChange(doc, claim(doc, { runnerId: "r1", leaseHash: "h" }, 15_000, t0));
}
const statuses = ({ jobs }: BuildDoc) => jobs.map(({ status }) => status);

/** Reports the ends of both jobs, the first of which ended 40 ms before. */
function endBoth(doc: BuildDoc, how: Partial<JobReport> = {}, ageMs = 40): BuildDoc {
  const [setup, job] = doc.jobs;
  const prepared = { jobId: setup!.id, offset: 0, text: "ready\n", placedObjectIds: [7], ageMs };
  const report = {
    jobId: job!.id,
    epoch: doc.epoch,
    outcome: "passed" as const,
    offset: 6,
    text: "made\n",
    placed: [],
  };
  const change = finishPrepared(doc, prepared, { ...report, followsOrder: true, ...how }, after(1_000));
  return change ? applyChange(doc, change) : doc;
}

it("both jobs end in one change, each at its own time and with its own output", () => {
  const doc = endBoth(running());
  expect(statuses(doc)).toEqual(["passed", "passed", "running"]);
  expect(doc.jobs.map(({ startedAt }) => startedAt)).toEqual([t0, after(960), after(1_000)]);
  expect(doc.jobs.map(({ finishedAt }) => finishedAt)).toEqual([after(960), after(1_000), undefined]);
  expect(doc.jobs.map(({ outputBytes }) => outputBytes)).toEqual([6, 5, 0]);
  expect(shownTail(doc).map(({ text, job }) => [text, job])).toEqual([
    ["ready\n", 0],
    ["made\n", 1],
  ]);
});

it("the objects that the first job has placed are marked", () => {
  const objects = [7, 8].map((id) => ({ id, source: `${id}`, name: `${id}`, placed: false }));
  expect(endBoth({ ...running(), objects }).objects.map(({ id, placed }) => [id, placed])).toEqual([
    [7, true],
    [8, false],
  ]);
});

it("the end of the second job can end the build", () => {
  const doc = endBoth(running(), { outcome: "failed", exitCode: 3 });
  expect(doc.status).toBe("failed");
  expect(statuses(doc)).toEqual(["passed", "failed", "failed"]);
});

it("a report whose first part has arrived before finishes the second job alone", () => {
  const before = running();
  const first = { jobId: before.jobs[0]!.id, epoch: 1, outcome: "passed" as const, offset: 0, text: "ready\n" };
  const doc = endBoth(applyChange(before, finishJob(before, { ...first, placed: [] }, after(500))!));
  expect(statuses(doc)).toEqual(["passed", "passed", "running"]);
  expect(doc.jobs[0]!.finishedAt).toEqual(after(500));
  expect(doc.outputBytes).toBe(11);
});

it("a repeated report changes nothing", () => {
  const doc = endBoth(running());
  expect(endBoth(doc)).toBe(doc);
});

it("a build that is to be killed ends with its first job", () => {
  const doc = endBoth({ ...running(), killRequestedAt: t0, killRequestedBy: "ann" });
  expect(statuses(doc)).toEqual(["killed", "killed", "killed"]);
  expect(shownTail(doc).map(({ text }) => text)).toEqual(["ready\n", "Build killed by ann\n"]);
});

it.each([
  ["longer ago than the build has run", 60_000, t0],
  ["in the future", -60_000, after(1_000)],
])("a first job that is said to have ended %s ends within the build", (_when, ageMs, finishedAt) => {
  expect(endBoth(running(), {}, ageMs).jobs[0]!.finishedAt).toEqual(finishedAt);
});

it("an old epoch is a conflict", () => {
  expect(() => endBoth(running(), { epoch: 0 })).toThrow("no longer held under epoch 0");
});
