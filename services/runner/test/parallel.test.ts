import { once } from "node:events";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import type { Environment } from "../src/driver.js";
import { anAssignment } from "./_assignment.js";
import { bareEnvironments } from "./_environment.js";
import { deferred } from "./_subject.js";

const machine = { type: "qemu", image: "", workspace: "", pullAlways: false, keepOnFailureMinutes: 0 } as const;
const { runIn, claimIn } = bareEnvironments();

/** Runs jobs of a parallel stage beside a service. The first `endTogether` of them end at the same moment. */
async function run(
  exitCodes: readonly number[],
  endTogether: number,
  more: Partial<Assignment> = {},
  environment: Partial<Environment> = {},
) {
  const { jobs, ...assignment } = anAssignment(more, [], ...exitCodes.map(() => ["x"]));
  const [prepare, service, ...inStage] = jobs;
  const services = [{ name: "db", image: "db", variables: [], command: [] }];
  const stage = inStage.map((job) => ({ ...job, stage: "parallel", parallel: true }));
  let begun = 0;
  const together = deferred();
  return runIn(
    { ...assignment, services, jobs: [prepare!, { ...service!, service: "db" }, ...stage] },
    {
      async run({ id }) {
        if (++begun === endTogether) together.resolve();
        await together.promise;
        return exitCodes[inStage.findIndex((job) => job.id === id)]!;
      },
      async *serviceOutput() {
        yield Buffer.from("ready to accept connections\n");
      },
      ...environment,
    },
  );
}

test.each([
  ["its jobs end together", 2, 2],
  ["more jobs wait than may run at the same time", 10, 8],
])("the output of services is sent once if %s", async (_when, count, endTogether) => {
  const build = await run(Array(count).fill(0), endTogether);
  expect([build.final, build.texts.get(1)]).toEqual(["passed", "ready to accept connections\n"]);
});

test.each([
  ["fail", [1, 1]],
  ["fail and pass", [1, 0]],
  ["pass and fail", [0, 1]],
])("an environment is kept once if its last jobs %s together", async (_how, exitCodes) => {
  const driver = { ...machine, keepOnFailureMinutes: 1 };
  const disk = () => Promise.reject(new Error("it has no disk"));
  const inspection = { stay: async (_ms: number, say: (line: string) => void) => say("It stays."), disk };
  const build = await run(exitCodes, 2, { driver }, { inspection });
  expect([build.final, build.text.match(/It stays\./g)]).toEqual(["failed", ["It stays."]]);
});

test.each([
  ["stored once if its last jobs pass", [0, 0], 1],
  ["not stored if one of its last jobs fails", [1, 0], 0],
])("a cache is %s together", async (_how, exitCodes, times) => {
  let reads = 0;
  const trees = {
    nameOf: (path: string) => path,
    read() {
      reads++;
      return [];
    },
  };
  const caches = [{ name: "deps", key: [], paths: ["deps"] }];
  const build = await run(exitCodes, 2, { caches }, { trees: trees as never });
  expect([build.text.includes("Cache deps: nothing to store\n"), reads]).toEqual([times > 0, times]);
});

test("the end of a killed build does not wait for each of its services", async () => {
  const { jobs, ...assignment } = anAssignment({ driver: machine }, [], [], ["x"]);
  const withServices = jobs.map((job, at) => (at === 1 || at === 2 ? { ...job, service: `db${at}` } : job));
  const services = ["db1", "db2"].map((name) => ({ name, image: "db", variables: [], command: [] }));
  const begun = deferred();
  const read: string[] = [];
  const { build, work } = await claimIn(
    { ...assignment, services, jobs: withServices },
    {
      async run(_job, _onOutput, signal) {
        begun.resolve();
        await once(signal, "abort");
        throw signal.reason;
      },
      async *serviceOutput(name, signal) {
        read.push(name);
        yield Buffer.from("ready to accept connections\n");
        signal.throwIfAborted();
        await once(signal, "abort");
      },
    },
  );
  await begun.promise;
  build.killed = true;
  await eventually(() => expect(build.final).toBe("killed"));
  await work.stop();
  expect([read, build.texts.get(1)]).toEqual([["db1"], "ready to accept connections\n"]);
});
