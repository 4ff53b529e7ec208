import { once } from "node:events";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { anAssignment, newId } from "./_assignment.js";
import { bareEnvironments } from "./_environment.js";
import { textOf } from "./_subject.js";
import { inMoreTime } from "./_suite.js";

const runIn = bareEnvironments();
const keepOnFailure = { type: "qemu", image: "", workspace: "", pullAlways: false, keepOnFailureMinutes: 7 } as const;

/** Runs a build of one job in an environment that records how long it is inspected. */
async function run(
  exitCode: number,
  { mayFail = false, ...more }: Partial<Assignment> & { mayFail?: boolean } = {},
  runsUntil?: "time is over",
) {
  const assignment = anAssignment({ driver: keepOnFailure, ...more }, ["exit"]);
  const [first, job] = assignment.jobs;
  const artifacts = [{ id: newId(), source: "/dev/vda", name: "machine.qcow2" }];
  const jobs = [
    { ...first!, artifacts },
    { ...job!, mayFail },
  ];
  const inspections: { ms: number; aborted: boolean }[] = [];
  const build = await runIn(
    { ...assignment, jobs },
    {
      async run(_job, _hear, signal) {
        if (runsUntil && !signal.aborted) await once(signal, "abort");
        return exitCode;
      },
      inspection: {
        async stay(ms, say, signal) {
          say("It stays.");
          inspections.push({ ms, aborted: signal.aborted });
        },
        disk: async () => ({ sizeBytes: 4, content: textOf("disk"), close: async () => undefined }),
      },
    },
  );
  const collected = build.artifacts.map(({ header, content }) => [header.artifactId, content.toString()]);
  return { build, inspections, collected, disk: [artifacts[0]!.id, "disk"] };
}

test("a failed environment stays for the manifest's time; then its disk is collected", async () => {
  const { build, inspections, collected, disk } = await run(1);
  expect([build.final, inspections, collected]).toEqual(["failed", [{ ms: 7 * 60_000, aborted: false }], [disk]]);
  expect(build.text).toBe("It stays.\nCollecting artifact /dev/vda => machine.qcow2\nJob failed: exit code 1\n");
});

test.each([
  ["a job that has passed", 0, {}],
  ["a job that may fail", 1, { mayFail: true }],
  ["a manifest without the setting", 1, { driver: { ...keepOnFailure, keepOnFailureMinutes: 0 } }],
])("%s keeps no environment", async (_what, exitCode, more) => {
  const { inspections, collected } = await run(exitCode, more);
  expect([inspections, collected]).toEqual([[], []]);
});

test("the inspection does not count as the build's time", async () => {
  const { build, inspections, collected, disk } = await inMoreTime(
    (buildTimeoutMs) => run(1, { buildTimeoutMs }, "time is over"),
    ({ build }) => build.outcomes.length > 1,
  );
  expect([build.final, inspections, collected]).toEqual(["failed", [{ ms: 7 * 60_000, aborted: false }], [disk]]);
});
