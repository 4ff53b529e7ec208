import { type Manifest, readManifest } from "@ci/manifest/manifest";
import { planJobs, uniqueNames } from "./plan.js";

function manifestOf(text: string): Manifest {
  // Manifests of earlier versions may have jobs in unknown stages.
  const limits = { maxBytes: 1024 * 1024, maxStages: 100, maxJobs: 500, isStored: true };
  const reading = readManifest(`driver: {type: os}\n${text}`, limits);
  if (!("manifest" in reading)) throw new Error(JSON.stringify(reading.complaints));
  return reading.manifest;
}

const plan = (text: string) => planJobs(manifestOf(text), 7);
/** Returns the names that a stage's jobs get, given their names in the manifest. */
const namesOf = (names: readonly string[], stage = "test") => {
  const jobs = names.map((name) => `{stage: ${JSON.stringify(stage)}, name: ${JSON.stringify(name)}}`);
  return plan(`stages: [${JSON.stringify(stage)}]\njobs: [${jobs.join(", ")}]`)
    .slice(1)
    .map((job) => job.name);
};

test("a build without jobs has only its setup job", () => {
  const setup = { stage: "setup - #7", name: "create-driver", commands: [], mayFail: false, artifacts: [] };
  expect(plan("stages: [a]")).toEqual([setup]);
});

test("a VM to be kept has an artifact for its disk, whose name is reserved", () => {
  const kept = manifestOf("stages: [a]\njobs: [{stage: a, artifacts: [machine.qcow2]}]");
  const jobs = planJobs({ ...kept, driver: { ...kept.driver, keepOnFailureMinutes: 5 } }, 7);
  expect(jobs.map(({ artifacts }) => artifacts)).toEqual([
    [{ source: "/dev/vda", name: "machine.qcow2" }],
    [{ source: "machine.qcow2", name: "machine.qcow2-2" }],
  ]);
});

test("setup comes first, then the stages and their jobs in the manifest's order", () => {
  const jobs = plan(`
sources: [https://a/b.git v1, https://a/c => d]
stages: [two, one, empty, two]
allow_failures: [one, "setup - #7"]
jobs:
  - {stage: one, name: x, commands: [a, "  b"]}
  - {stage: two, name: y}
  - {stage: gone, name: z}
  - {stage: one, name: w}
`);
  expect(jobs.map(({ stage, name, mayFail }) => [stage, name, mayFail])).toEqual([
    ["setup - #7", "create-driver", false],
    ["setup - #7", "clone.1", false],
    ["setup - #7", "clone.2", false],
    ["two", "y", false],
    ["one", "x", true],
    ["one", "w", true],
  ]);
  expect(jobs.map((job) => job.source)).toMatchObject([
    undefined,
    { url: "https://a/b.git", ref: "v1", directory: "b" },
    { url: "https://a/c", ref: "", directory: "d" },
    undefined,
    undefined,
    undefined,
  ]);
  expect(jobs[4]).toMatchObject({ commands: ["a", "  b"] });
});

test("a source that is listed twice keeps its last entry", () => {
  const jobs = plan("sources: [a => x, b, a => y, a v1]\nobjects: [o => p, q, o => r]");
  expect(jobs.slice(1).map(({ source }) => `${source?.url} ${source?.ref} ${source?.directory}`)).toEqual([
    "b  b",
    "a  y",
    "a v1 a",
  ]);
  expect(manifestOf("objects: [o => p, q, o => r]").objects).toEqual([
    { source: "q", name: "q" },
    { source: "o", name: "r" },
  ]);
});

test("a stage with the setup stage's name may still be allowed to fail", () => {
  const jobs = plan('stages: ["setup - #7"]\nallow_failures: ["setup - #7"]\njobs: [{stage: "setup - #7"}]');
  expect(jobs.map((job) => job.mayFail)).toEqual([false, true]);
});

describe("the name of a job", () => {
  test.each([
    ["Compile All", "compile-all"],
    ["  lint\t", "lint"],
    ["\u00a0\u3000lint\ufeff", "lint"],
    ["a//b  c", "a-b-c"],
    ["--a--b--", "a-b"],
    ["v1.2_RC", "v1.2-rc"],
    ["Über", "ber"],
    // The Kelvin sign is not an ASCII letter, but its lower case is.
    ["\u212Aelvin", "elvin"],
    ["日本 語", "test.1"],
    ["😀a😀", "a"],
    ["...", "test.1"],
    ["-", "test.1"],
    [".-.", ".-."],
    ["", "test.1"],
  ])("%j becomes %j", (name, expected) => {
    expect(namesOf([name])).toEqual([expected]);
  });

  test("is stage and position if the manifest has none", () => {
    expect(namesOf(["a", "", "b", ""], "Unit Tests")).toEqual(["a", "unit-tests.2", "b", "unit-tests.4"]);
    expect(namesOf([""], "日本")).toEqual([".1"]);
  });

  test("gets the first free number if it is taken", () => {
    expect(namesOf(["a", "A", "a-2", "a", " a "])).toEqual(["a", "a-2", "a-2-2", "a-3", "a-4"]);
    expect(namesOf(["a-2", "a", "a"])).toEqual(["a-2", "a", "a-3"]);
  });

  test("gets a number if the setup stage uses it", () => {
    const jobs = plan("sources: [b]\nstages: [s]\njobs: [{stage: s, name: create driver}, {stage: s, name: Clone.1}]");
    expect(jobs.slice(2).map((job) => job.name)).toEqual(["create-driver-2", "clone.1-2"]);
  });
});

test("names of artifacts are unique in a build, and a glob keeps a pattern for its matches", () => {
  const jobs = plan(`
stages: [s]
jobs:
  - {stage: gone, artifacts: [a.txt]}
  - {stage: s, artifacts: [x/a.txt, y/a.txt, out/*.log, "../up/?.log => logs/*", "./.a//./b../../*/"]}
  - {stage: s, artifacts: [a.txt => A.txt, z/a.txt, out/*.log]}
`);
  expect(jobs.slice(1).map((job) => job.artifacts)).toEqual([
    [
      { source: "x/a.txt", name: "a.txt" },
      { source: "y/a.txt", name: "a.txt-2" },
      { source: "out/*.log", name: "out/*.log", pattern: "*" },
      { source: "../up/?.log", name: "up/?.log", pattern: "logs/*" },
      { source: "./.a//./b../../*/", name: ".a/b../*", pattern: "*" },
    ],
    [
      { source: "a.txt", name: "A.txt" },
      { source: "z/a.txt", name: "a.txt-3" },
      { source: "out/*.log", name: "out/*.log-2", pattern: "*" },
    ],
  ]);
});

test("100,000 equal names become unique in linear time", () => {
  const unique = uniqueNames();
  const names = Array.from({ length: 100_000 }, () => unique("a"));
  expect(new Set(names).size).toBe(100_000);
  expect(names.at(-1)).toBe("a-100000");
});
