import type { AssignedJob } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { anAssignment } from "./_assignment.js";
import { bootRunner, inMoreTime } from "./_suite.js";

const booted = bootRunner();
const { run, submit, kill } = booted;

afterEach(() => eventually(async () => expect(await booted.folders()).toEqual([])));

/** Returns an assignment whose jobs have these keys besides their commands. */
function jobsLike(...jobs: (readonly [commands: readonly string[], more: Partial<AssignedJob>])[]) {
  const { jobs: made, ...assignment } = anAssignment({}, ...jobs.map(([commands]) => commands));
  return { ...assignment, jobs: made.map((job, index) => ({ ...job, ...jobs[index - 1]?.[1] })) };
}

describe("conditions", () => {
  const onFailure = { skipAfterSuccess: true, runAfterFailure: true };

  test("a job for failures runs after one, and the others do not", async () => {
    const { outcomes, text, final } = await run(
      jobsLike(
        [["exit 3"], {}],
        [["echo never"], {}],
        [["echo clean"], onFailure],
        [["echo always"], { runAfterFailure: true }],
      ),
    );
    expect(text).toBe("+ exit 3\nJob failed: exit code 3\n+ echo clean\nclean\n+ echo always\nalways\n");
    expect([final, outcomes]).toEqual(["failed", ["passed", "failed", "passed", "passed"]]);
  });

  test("a job for failures does not run in a build that passes", async () => {
    const { text } = await run(jobsLike([["echo one"], {}], [["echo never"], onFailure], [["echo two"], {}]));
    expect(text).toBe("+ echo one\none\n+ echo two\ntwo\n");
  });

  test.each([
    ["The manifest has no jobs", 0, []],
    ["No job of the manifest is for this build", 1, []],
    ["No job of the manifest is for this build", 0, [[["echo never"], onFailure] as const]],
    ["No job of this build has commands", 1, [[["", " "], {}] as const, [["echo never"], onFailure] as const]],
  ])("a build says that nothing was run: %s", async (why, leftOutJobs, jobs) => {
    const { final, text } = await run({ ...jobsLike(...jobs), leftOutJobs });
    expect([final, text]).toEqual(["passed", `${why}: nothing was run\n`]);
  });

  test("a build whose setup fails does not say that nothing was run", async () => {
    const source = { url: "x", ref: "", directory: "x" };
    const { text } = await run(jobsLike([["exit 3"], { source }], [["echo clean"], onFailure]));
    expect(text).toBe("+ exit 3\nJob failed: exit code 3\n+ echo clean\nclean\n");
  });

  test("a job for failures runs after the build's time is over", async () => {
    const build = await inMoreTime(
      (buildTimeoutMs) =>
        run({ ...jobsLike([["echo up; sleep 1000; :"], {}], [["echo clean"], onFailure]), buildTimeoutMs }),
      ({ outcomes }) => outcomes.length > 1,
    );
    expect(build.outcomes).toEqual(["passed", "timed_out", "passed"]);
    expect(build.text).toMatch(/\nBuild timed out after .*\n\+ echo clean\nclean\n$/);
  });

  test("no job runs after a kill", async () => {
    const build = submit(jobsLike([["echo up; sleep 1000; :"], {}], [["echo never"], onFailure]));
    await eventually(() => expect(build.text).toContain("\nup\n"));
    kill(build);
    await eventually(() => expect(build.final).toBe("killed"));
    expect(build.outcomes).toEqual(["passed", "killed"]);
  });
});

describe("a parallel stage", () => {
  const beside = { parallel: true };
  const meet = (mine: string, other: string) => `touch ${mine}; while ! [ -e ${other} ]; do sleep 0.02; done`;

  test("runs its jobs at the same time, each with its own output, and the next stage after them", async () => {
    const build = await run(
      jobsLike([[meet("a", "b"), "echo from a"], beside], [[meet("b", "a"), "echo from b"], beside], [["ls"], {}]),
    );
    expect(build.outcomes).toEqual(["passed", "passed", "passed", "passed"]);
    expect([build.texts.get(1), build.texts.get(2)]).toEqual([
      expect.stringMatching(/from a\n$/),
      expect.stringMatching(/from b\n$/),
    ]);
  });

  test("runs all jobs to their end when one fails", async () => {
    const build = await run(
      jobsLike([["touch x; exit 3"], beside], [[meet("b", "x"), "echo on"], beside], [["echo never"], {}]),
    );
    expect([build.final, build.outcomes.toSorted()]).toEqual(["failed", ["failed", "passed", "passed"]]);
    expect(build.texts.get(2)).toMatch(/on\n$/);
  });

  test("ends with all its jobs at a kill", async () => {
    const sleep: readonly [string[], typeof beside] = [["echo up; sleep 1000; :"], beside];
    const build = submit(jobsLike(sleep, sleep));
    await eventually(() =>
      expect([...build.texts.values()].map((text) => text.includes("\nup\n"))).toEqual([true, true]),
    );
    kill(build);
    await eventually(() => expect(build.final).toBe("killed"));
    expect(build.outcomes).toEqual(["passed", "killed", "killed"]);
  });

  test("runs more jobs than may run at the same time", async () => {
    const jobs = Array.from({ length: 10 }, (_, n) => [[`echo ${n}`], beside] as const);
    const build = await run(jobsLike(...jobs));
    expect([...build.texts.values()].map((text) => text.split("\n")[1]).sort()).toEqual([..."0123456789"]);
  });
});
