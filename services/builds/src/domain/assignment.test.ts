import { aBuild } from "../../test/_build.js";
import { assignment } from "./assignment.js";

const terms = {
  buildTimeoutMs: 1,
  prepareTimeoutMs: 1,
  outputBytes: 1,
  artifactBytes: 1,
  cacheBytes: 5,
  publicUrl: "https://ci.test",
};
const driver = { type: "qemu", image: "a", workspace: "", pullAlways: false, keepOnFailureMinutes: 5 } as const;
const origin = { url: "https://git.example.com/a.git", sha: "0".repeat(40) };

test.each([
  [false, 5],
  [true, 0],
])("a failed VM of a fork's build (%p) is kept for %d minutes", (bare, minutes) => {
  const assigned = assignment(aBuild({ driver, origin: { ...origin, bare } }), terms, (sealed) => sealed);
  expect(assigned.driver).toEqual({ ...driver, keepOnFailureMinutes: minutes });
});

test("an assignment says which jobs may fail", () => {
  const [first] = aBuild().jobs;
  const jobs = [false, true].map((mayFail, index) => ({ ...first!, id: index + 1, mayFail }));
  const steps = jobs.map(() => ({ commands: [] }));
  const assigned = assignment(aBuild({ jobs, steps }), terms, (sealed) => sealed);
  expect(assigned.jobs.map(({ mayFail }) => mayFail)).toEqual([false, true]);
});

test("a service has its job, which an earlier runner fails", () => {
  const [first, second] = aBuild().jobs;
  const steps = [{ commands: [] }, { commands: [], service: "db" }];
  const services = [{ name: "db", image: "a", env: [{ key: "A", value: "1" }], command: [], ready: "true" }];
  const assigned = assignment(aBuild({ jobs: [first!, second!], steps, services }), terms, (sealed) => sealed);
  expect(assigned.services).toMatchObject([{ name: "db", variables: [{ key: "A", value: "1" }], ready: "true" }]);
  expect(assigned.jobs[1]).toMatchObject({ service: "db", commands: [expect.stringMatching(/exit 1$/)] });
});

test("a parameter of the build replaces a variable of a job, other variables of the build do not", () => {
  const [first, second] = aBuild().jobs;
  const variables = ["A", "B"].map((key, id) => ({ id, key, masked: false, sealed: "1", isParameter: key === "A" }));
  const env = ["A", "B", "C"].map((key) => ({ key, value: "2" }));
  const steps = [{ commands: [] }, { commands: [], env }];
  const assigned = assignment(aBuild({ jobs: [first!, second!], steps, variables }), terms, (sealed) => sealed);
  expect(assigned.jobs[1]!.variables).toMatchObject([{ key: "B" }, { key: "C" }]);
});

test("an assignment says how many jobs of the manifest are not for the build", () => {
  const assigned = [{ leftOut: [0, 2] }, {}].map((more) => assignment(aBuild(more), terms, (sealed) => sealed));
  expect(assigned.map(({ leftOutJobs }) => leftOutJobs)).toEqual([2, 0]);
});
