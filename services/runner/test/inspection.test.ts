import { once } from "node:events";
import { createLog } from "@ci/kit/process/log";
import { type Assignment, QueueServiceDefinition } from "@ci/proto/builds/v1/queue";
import { connect } from "@ci/testkit/identities";
import { runBuild } from "../src/build.js";
import type { Driver, Environment } from "../src/driver.js";
import { keepLease } from "../src/work/lease.js";
import { anAssignment, newId } from "./_assignment.js";
import { startQueue, type TestQueue } from "./_queue.js";
import { textOf } from "./_subject.js";
import { inMoreTime } from "./_suite.js";

let queue: TestQueue;
let client: ReturnType<typeof connect>;
beforeAll(async () => {
  queue = await startQueue();
  client = connect(queue.address);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await queue[Symbol.asyncDispose]();
});

const keepOnFailure = { type: "qemu", image: "", workspace: "", pullAlways: false, keepOnFailureMinutes: 7 } as const;

/** Runs a build of one job in a fake environment that records how long it is inspected. */
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
  const noop = async () => undefined;
  const environment: Environment = {
    sshFolder: ".ssh",
    prepare: noop,
    put: noop,
    async run(_job, _hear, signal) {
      if (runsUntil && !signal.aborted) await once(signal, "abort");
      return exitCode;
    },
    async *list() {},
    trees: undefined as never,
    open: () => Promise.reject(new Error("it has no files")),
    inspection: {
      async stay(ms, say, signal) {
        say("It stays.");
        inspections.push({ ms, aborted: signal.aborted });
      },
      disk: async () => ({ sizeBytes: 4, content: textOf("disk"), close: noop }),
    },
    [Symbol.asyncDispose]: noop,
  };
  const driver: Driver = {
    type: "qemu",
    ready: async () => true,
    environment: () => environment,
    leftovers: async () => [],
  };
  const build = queue.submit({ ...assignment, jobs });
  Object.assign(build, { jobIndex: 0, running: [0] });
  const stub = client.client(QueueServiceDefinition);
  using lease = keepLease(stub, build.assignment, { ...queue.times, claimedAt: performance.now() });
  const log = createLog("runner", "silent");
  const ctx = {
    config: { id: "a", builds: 1, drainMs: 0, cloneBytes: 0 },
    agent: undefined as never,
    queue: stub,
    objects: stub as never,
    drivers: new Map(),
    readiness: undefined as never,
    copies: undefined as never,
    log,
  };
  await runBuild(ctx, driver, build.assignment, { lease, onOver: () => undefined });
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
