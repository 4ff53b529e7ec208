import { anAssignment } from "./_assignment.js";
import { buildCollecting } from "./_collecting.js";
import { bareEnvironments } from "./_environment.js";
import { inMoreTime } from "./_suite.js";

const { runIn } = bareEnvironments();

test("the build's timeout ends the collecting of a job that passed, and jobs for failures run", async () => {
  const reading: AbortSignal[] = [];
  async function* endless() {
    yield Buffer.from("begin");
    await new Promise(() => undefined);
  }
  const attempt = (buildTimeoutMs: number) => {
    const assignment = buildCollecting(["make"], ["file"]);
    const [, clean] = anAssignment({}, ["clean"]).jobs;
    const jobs = [...assignment.jobs, { ...clean!, skipAfterSuccess: true, runAfterFailure: true }];
    return runIn(
      { ...assignment, jobs, buildTimeoutMs },
      {
        run: async () => 0,
        async open(_path, signal) {
          reading.push(signal);
          return { sizeBytes: 10, content: endless(), close: async () => undefined };
        },
      },
    );
  };
  const build = await inMoreTime(attempt, ({ outcomes }) => outcomes[0] === "passed" && reading.length > 0);
  expect(build.outcomes).toEqual(["passed", "timed_out", "passed"]);
  expect(build.text).toMatch(/Collecting artifact file => file\nBuild timed out after .*\n$/);
  expect(reading.at(-1)!.aborted).toBe(false);
});
