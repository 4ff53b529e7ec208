import { once } from "node:events";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import { anAssignment, newId } from "./_assignment.js";
import { bareEnvironments } from "./_environment.js";
import { type QueuedBuild, startOlderQueue } from "./_queue.js";
import { deferred, textOf } from "./_subject.js";
import { inMoreTime } from "./_suite.js";

const { runIn, claimIn } = bareEnvironments();
const older = bareEnvironments(startOlderQueue);
const keepOnFailure = { type: "qemu", image: "", workspace: "", pullAlways: false, keepOnFailureMinutes: 7 } as const;

type Asked = Partial<Assignment> & { mayFail?: boolean };

/** Returns a build of one job, and what its failed environment yields. */
function aBuild({ mayFail = false, ...more }: Asked = {}) {
  const assignment = anAssignment({ driver: keepOnFailure, ...more }, ["exit"]);
  const [first, job] = assignment.jobs;
  const artifacts = [{ id: newId(), source: "/dev/vda", name: "machine.qcow2" }];
  const jobs = [
    { ...first!, artifacts },
    { ...job!, mayFail },
  ];
  return { assignment: { ...assignment, jobs }, disk: [artifacts[0]!.id, "disk"] };
}

const disk = async () => ({ sizeBytes: 4, content: textOf("disk"), close: async () => undefined });
const collectedOf = ({ artifacts }: QueuedBuild) =>
  artifacts.map(({ header, content }) => [header.artifactId, content.toString()]);

/** Runs a build in an environment that records how long it is inspected. */
async function run(exitCode: number, asked?: Asked, runsUntil?: "time is over") {
  const { assignment, disk: expected } = aBuild(asked);
  const inspections: { ms: number; aborted: boolean }[] = [];
  const build = await runIn(assignment, {
    async run(_job, _hear, signal) {
      if (runsUntil && !signal.aborted) await once(signal, "abort");
      return exitCode;
    },
    inspection: {
      async stay(ms, say, signal) {
        say("It stays.");
        inspections.push({ ms, aborted: signal.aborted });
      },
      disk,
    },
  });
  return { build, inspections, collected: collectedOf(build), disk: expected };
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

async function verdictIn({ claimIn }: Pick<typeof older, "claimIn">) {
  const { assignment } = aBuild();
  const [begun, over] = [deferred(), deferred()];
  const inspection = {
    async stay() {
      begun.resolve();
      await over.promise;
    },
    disk,
  };
  const { build, work } = await claimIn(assignment, { run: async () => 3, inspection });
  try {
    await begun.promise;
    const { verdict, final } = build;
    over.resolve();
    await eventually(() => expect([build.final, build.ends.at(-1)]).toEqual(["failed", [3, "exit code 3"]]));
    return { verdict, final, jobId: assignment.jobs[1]!.id };
  } finally {
    await work.stop();
  }
}

test("the queue knows how a build ends before its environment stays", async () => {
  const { verdict, final, jobId } = await verdictIn({ claimIn });
  expect(verdict).toMatchObject({ jobId, outcome: "failed", exitCode: 3, reason: "exit code 3" });
  expect(final).toBeUndefined();
});

test("with a queue of an older version an environment stays, too", async () => {
  expect((await verdictIn(older)).verdict).toBeUndefined();
});

test("a runner that drains ends the stay, collects the disk and reports the failure", async () => {
  const { assignment, disk: expected } = aBuild();
  let stays = false;
  const { build, work } = await claimIn(assignment, {
    run: async () => 3,
    inspection: {
      async stay(_ms, _say, signal, draining) {
        stays = true;
        await once(AbortSignal.any([signal, draining]), "abort");
        signal.throwIfAborted();
      },
      disk,
    },
  });
  await eventually(() => expect(stays).toBe(true));
  const drained = work.drain();
  try {
    await eventually(() => expect(build.final).toBe("failed"));
    await drained;
  } finally {
    await work.stop();
  }
  expect([build.ends.at(-1), build.returned, collectedOf(build)]).toEqual([[3, "exit code 3"], false, [expected]]);
});
