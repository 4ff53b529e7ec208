import type { BuildTest_Status } from "@ci/proto/builds/v1/builds";
import type { Assignment, TestCase } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, fault } from "../_suite.js";

const suite = bootBuilds();
const manifest = `
driver: {type: os}
jobs:
- {name: unit, commands: [make test], reports: [{junit: "reports/*.xml"}]}
- {name: other, commands: ["true"], reports: [{junit: other.xml}]}
- {name: none, commands: ["true"]}
`;

const aCase = (name: string, more: Partial<TestCase> = {}): TestCase => ({
  ...{ suite: "s", className: "c", name, status: "passed", seconds: 1, message: "", output: "" },
  ...more,
});

async function claimed() {
  const { userId, number } = await suite.submit(suite.users.ann, manifest);
  const build = (await suite.claim())!;
  await suite.finish(build, 0, "passed");
  return { build, ref: { userId, number } };
}

const put = ({ buildId, epoch, jobs }: Assignment, index: number, cases: readonly TestCase[], from = 0) =>
  suite.queue.putTests({ buildId, epoch, jobId: jobs[index]!.id, from, cases });

const finish = ({ buildId, epoch, jobs }: Assignment, index: number, failed?: number) =>
  suite.queue.finishJob({
    ...{ buildId, epoch, jobId: jobs[index]!.id, offset: 0, text: "", placedObjectIds: [], outcome: "passed" },
    ...(failed === undefined ? {} : { tests: { total: 10, failed, skipped: 1, seconds: 2.5 } }),
  });

const buildOf = async (ref: { userId: number; number: number }) =>
  (await suite.as(suite.users.ann, () => suite.builds.getBuild({ ref, brief: false }))).build!;

const listed = async (
  ref: { userId: number; number: number },
  status?: BuildTest_Status,
  user = suite.users.ann,
  slowestFirst = false,
) => (await suite.as(user, () => suite.builds.listTests({ ref, status, slowestFirst, page: { number: 1 } }))).tests;

test("an assignment says which reports to read", async () => {
  const { build } = await claimed();
  expect(build.jobs.map(({ junitReports }) => junitReports)).toEqual([[], ["reports/*.xml"], ["other.xml"], []]);
  for (const index of [1, 2, 3]) await finish(build, index);
});

test("the slowest cases come first on demand, equal ones in the order of the jobs", async () => {
  const { build, ref } = await claimed();
  const seconds = { one: 1, two: 3, three: 1, four: 0.5 };
  await put(
    build,
    1,
    Object.entries(seconds).map(([name, seconds]) => aCase(name, { seconds })),
  );
  const names = (await listed(ref, undefined, suite.users.ann, true)).map(({ name }) => name);
  expect(names).toEqual(["two", "one", "three", "four"]);
  for (const index of [1, 2, 3]) await finish(build, index);
});

test("the record sums up the reports of all jobs, and the list has their cases in order", async () => {
  const { build, ref } = await claimed();
  await put(build, 1, [aCase("one"), aCase("two", { status: "failed", message: "m", output: "o" })]);
  await put(build, 1, [aCase("three")], 2);
  await finish(build, 1, 3);
  expect((await buildOf(ref)).tests).toEqual({ total: 10, failed: 3, skipped: 1, seconds: 2.5 });
  await put(build, 2, [aCase("four", { status: "skipped" })]);
  await finish(build, 2, 0);
  await finish(build, 3);
  expect((await buildOf(ref)).tests).toEqual({ total: 20, failed: 3, skipped: 2, seconds: 5 });
  const all = await listed(ref);
  expect(all.map(({ job, name }) => `${job} ${name}`)).toEqual(["unit one", "unit two", "unit three", "other four"]);
  expect(await listed(ref, "failed")).toEqual([
    { ...aCase("two", { status: "failed", message: "m", output: "o" }), job: "unit" },
  ]);
  expect(await fault(listed(ref, undefined, suite.users.bob))).toMatchObject({ code: "not_found" });
});

test("a repeated message stores nothing twice", async () => {
  const { build, ref } = await claimed();
  for (let times = 0; times < 2; times++) await put(build, 1, [aCase("one"), aCase("two")]);
  expect(await listed(ref)).toHaveLength(2);
  for (const index of [1, 2, 3]) await finish(build, index);
  expect((await buildOf(ref)).tests).toBeUndefined();
});

test("another attempt begins without tests", async () => {
  const { build: lost, ref } = await claimed();
  await put(lost, 1, [aCase("one"), aCase("two")]);
  await finish(lost, 1, 1);
  await suite.loseRunners();
  const build = await eventually(async () => {
    const again = await suite.claim();
    expect(again?.buildId).toBe(lost.buildId);
    return again!;
  });
  expect((await buildOf(ref)).tests).toBeUndefined();
  expect(await listed(ref)).toEqual([]);
  expect(await fault(put(lost, 1, [aCase("late")]))).toMatchObject({ code: "conflict" });
  await suite.finish(build, 0, "passed");
  await put(build, 1, [aCase("again")]);
  expect((await listed(ref)).map(({ name }) => name)).toEqual(["again"]);
});

test("cases of a lost attempt are not listed while the build is queued again, nor once it is killed there", async () => {
  const { build, ref } = await claimed();
  await put(build, 1, [aCase("lost")]);
  expect(await listed(ref)).toHaveLength(1);
  await suite.loseRunners();
  await eventually(async () => expect((await buildOf(ref)).status).toBe("queued"));
  expect(await listed(ref)).toEqual([]);
  await suite.as(suite.users.ann, () => suite.builds.killBuild({ ref }));
  expect((await buildOf(ref)).status).toBe("killed");
  expect(await listed(ref)).toEqual([]);
});

test("refuses too many cases, long texts and a job without reports", async () => {
  const { build } = await claimed();
  const many = Array.from({ length: 201 }, (_, index) => aCase(`${index}`));
  expect(await fault(put(build, 1, many))).toMatchObject({ code: "invalid" });
  expect(await fault(put(build, 1, [aCase("x")], 20_000))).toMatchObject({ code: "invalid" });
  expect(await fault(put(build, 1, [aCase("x".repeat(9_000))]))).toMatchObject({ code: "invalid" });
  expect(await fault(put(build, 3, [aCase("x")]))).toMatchObject({ code: "conflict" });
});
