import { isBlank, readManifest } from "./manifest.js";

const limits = { maxBytes: 1024 * 1024, maxStages: 100, maxJobs: 500, acceptedDrivers: ["docker", "qemu", "os"] };
const docker = "driver: {type: docker, image: busybox, workspace: /build}\n";

/** Returns the complaints about a text, an empty list if it is valid. */
function complaints(text: string, changed: Partial<typeof limits> = {}): string[] {
  const reading = readManifest(text, { ...limits, ...changed });
  return "manifest" in reading ? [] : reading.complaints.map(({ message }) => message);
}

/** Returns the manifest of a valid text. */
function manifestOf(text: string) {
  const reading = readManifest(text, limits);
  if (!("manifest" in reading)) throw new Error(JSON.stringify(reading.complaints));
  return reading.manifest;
}

const list = (count: number, entry: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => entry(n)).join("");

test("a manifest with all keys is read", () => {
  const text = `
namespace: " team/app@olga "
driver:
  type: docker
  image: busybox:1.37
  workspace: /build
  pull: always
env: [VERSION=1.20, "EMPTY=", LINK=a=b]
objects: [ca.pem => /etc/ssl/, notes.txt]
sources:
  - https://git.example.com/team/app.git v1.2 => src
stages: [build, test, build]
allow_failures: [test]
jobs:
  - stage: build
    name: Compile
    commands: [make, 1.50, yes]
    artifacts: [out/app.tar => app.tar, "out/*.log"]
  - stage: test
`;
  expect(manifestOf(text)).toEqual({
    namespace: "team/app@olga",
    caches: [],
    driver: { type: "docker", image: "busybox:1.37", workspace: "/build", pullAlways: true, keepOnFailureMinutes: 0 },
    env: [
      { key: "VERSION", value: "1.20" },
      { key: "EMPTY", value: "" },
      { key: "LINK", value: "a=b" },
    ],
    objects: [
      { source: "ca.pem", name: "/etc/ssl/ca.pem" },
      { source: "notes.txt", name: "notes.txt" },
    ],
    sources: [{ url: "https://git.example.com/team/app.git", ref: "v1.2", directory: "src" }],
    services: [],
    parallel: [],
    stages: ["build", "test"],
    allowFailures: ["test"],
    jobs: [
      {
        stage: "build",
        name: "Compile",
        commands: ["make", "1.50", "yes"],
        artifacts: [
          { source: "out/app.tar", name: "app.tar" },
          { source: "out/*.log", name: "*" },
        ],
        env: [],
        reports: [],
      },
      { stage: "test", name: "", commands: [], artifacts: [], env: [], reports: [] },
    ],
  });
});

test.each([
  ["", false, undefined],
  [", pull: ", false, undefined],
  [", pull: always", true, undefined],
  [", pull: if-not-present", false, true],
])("a container's image%s is pulled always (%s), or only if it is not present (%s)", (text, always, ifNotPresent) => {
  const { driver } = manifestOf(`driver: {type: docker, image: a, workspace: /b${text}}`);
  expect([driver.pullAlways, driver.pullIfNotPresent]).toEqual([always, ifNotPresent]);
});

test.each([
  ["", 0],
  [", keep_on_failure: ", 0],
  [', keep_on_failure: ""', 0],
  [", keep_on_failure: 1", 1],
  [', keep_on_failure: "60"', 60],
])("a VM%s is kept for %d minutes", (text, minutes) => {
  const { driver } = manifestOf(`driver: {type: qemu, image: a${text}}`);
  expect(driver.keepOnFailureMinutes).toBe(minutes);
});

test("only the driver is required, and a key without a value counts as missing", () => {
  const blank = { env: [], objects: [], sources: [], services: [], stages: [], allowFailures: [], jobs: [] };
  expect(manifestOf(docker)).toMatchObject(blank);
  const empty = "namespace:\nenv:\nobjects: ~\nsources: null\nstages:\nallow_failures:\njobs:\n";
  expect(manifestOf(docker + empty)).toMatchObject(blank);
  expect(manifestOf(docker + empty).namespace).toBeUndefined();
});

describe("rules", () => {
  test.each([
    // present and not too large
    ["", ["field required"]],
    [`#${"x".repeat(1024 * 1024)}`, ["cannot exceed 1 MiB"]],
    [`# ${"ü".repeat(512 * 1024)}`, ["cannot exceed 1 MiB"]],
    // one document, a mapping
    ["a: [", ["invalid YAML: Missing ] at line 1, column 5; close the brackets, and indent all lines between them"]],
    ["driver: a\ndriver: b", ['invalid YAML: Map keys must be unique ("driver") at line 2, column 1']],
    // types
    [`${docker}namespace: [a]`, ["namespace has the wrong type"]],
    ["driver: docker", ["driver has the wrong type"]],
    ["driver: [docker]", ["driver has the wrong type"]],
    ["driver: {type: [docker]}", ["driver has the wrong type"]],
    ["driver: {type: docker, image: {a: b}, workspace: [/a]}", ["driver has the wrong type"]],
    [
      "driver: {type: docker, image: a, workspace: /b, pull: never}",
      ['line 1, column 55: unknown pull "never"; known are "always", "if-not-present"'],
    ],
    ["driver: {type: qemu, image: a, keep_on_failure: [5]}", ["driver has the wrong type"]],
    [`${docker}env: {A: b}`, ["env has the wrong type"]],
    [`${docker}env: [[A=b]]`, ["line 2, column 7: env[0] must be a string, not a list"]],
    [`${docker}objects: a`, ["objects has the wrong type"]],
    [`${docker}sources: a`, ["sources has the wrong type"]],
    [`${docker}stages: a`, ["stages has the wrong type"]],
    [`${docker}allow_failures: {a: b}`, ["allow_failures has the wrong type"]],
    [`${docker}jobs: {a: b}`, ["jobs has the wrong type"]],
    [
      `${docker}jobs: [a, b]`,
      ["line 2, column 8: jobs[0]", "line 2, column 11: jobs[1]"].map(
        (at) => `${at} must be a mapping, not a string; for example {stage: test, name: unit, commands: [npm test]}`,
      ),
    ],
    [`${docker}jobs: [{stage: [a]}]`, ["line 2, column 16: stage must be a string, not a list"]],
    [`${docker}jobs: [{name: {a: b, c: d}}]`, ["line 2, column 15: name must be a string, not a mapping"]],
    [
      `${docker}jobs: [{commands: make}]`,
      ["line 2, column 19: commands must be a list, not a string; for example [npm ci, npm test]"],
    ],
    [`${docker}jobs: [{commands: [[make]]}]`, ["line 2, column 20: commands[0] must be a string, not a list"]],
    [`${docker}jobs: [{artifacts: [[a]]}]`, ["line 2, column 21: artifacts[0] must be a string, not a list"]],
    // driver
    ["driver:", ["invalid driver specified"]],
    ["driver: {image: a}", ["invalid driver specified"]],
    ['driver: {type: ""}', ["invalid driver specified"]],
    ["driver: {type: ssh}", ["invalid driver specified ssh"]],
    ["driver: {type: Docker}", ["invalid driver specified Docker"]],
    ["driver: {type: constructor}", ["invalid driver specified constructor"]],
    ["driver: {type: docker}", ["driver docker requies image", "driver docker requires workspace"]],
    ["driver: {type: docker, image: ' ', workspace: /a}", ["driver docker requies image"]],
    ["driver: {type: docker, image: a}", ["driver docker requires workspace"]],
    ["driver: {type: docker, image: a, workspace: build}", ["driver docker invalid workspace build"]],
    ["driver: {type: docker, image: a, workspace: /}", ["driver docker invalid workspace /"]],
    ["driver: {type: docker, image: a, workspace: /./}", ["driver docker invalid workspace /./"]],
    ["driver: {type: docker, image: a, workspace: /a/../b}", ["driver docker invalid workspace /a/../b"]],
    ["driver: {type: qemu}", ["driver qemu requires image"]],
    ...["0", "-1", "61", "1.5", "0x10", "5min", "soon"].map((minutes): [string, string[]] => [
      `driver: {type: qemu, image: a, keep_on_failure: ${minutes}}`,
      [`line 1, column 49: keep_on_failure must be a number of minutes from 1 to 60, not "${minutes}"`],
    ]),
    ["driver: {type: os, keep_on_failure: 5}", ['line 1: unknown key "keep_on_failure" in a driver of type os']],
    [
      "driver: {type: docker, image: a, keep_on_failure: [5]}",
      ['line 1: unknown key "keep_on_failure" in a driver of type docker', "driver docker requires workspace"],
    ],
    // entries
    [
      `${docker}env: [A, =b, "1A=b", "A B=c", " A=b", ""]`,
      ["A", "=b", "1A=b", "A B=c", " A=b", ""].map((e) => `env invalid entry ${e}`.trimEnd()),
    ],
    [`${docker}env: ["A=\\0"]`, ["env invalid entry A=\0"]],
    [
      `${docker}objects: [a =>, a => ../b, "a => b\\n/c", a => b/../c, "=> b", /]`,
      ["a =>", "a => ../b", "a => b\n/c", "a => b/../c", "=> b", "/"].map((e) => `objects invalid entry ${e}`),
    ],
    [
      `${docker}jobs: [{artifacts: [a =>, a => b/.., "a => \\x07"]}, {artifacts: ["x/.."]}]`,
      ["a =>", "a => b/..", "a => \x07", "x/.."].map((e) => `artifacts invalid entry ${e}`),
    ],
    [
      `${docker}sources: ["-u", a -b, "a => -c", a => b/../c, "a\\tb", "=> d", ""]`,
      ["-u", "a -b", "a => -c", "a => b/../c", "a\tb", "=> d", ""].map((e) => `sources invalid entry ${e}`.trimEnd()),
    ],
    // limits
    [`${docker}stages: [${list(101, (n) => `s${n},`)}]`, ["cannot have more than 100 stages"]],
    [`${docker}jobs: [${list(501, () => "{},")}]`, ["cannot have more than 500 jobs"]],
    [`${docker}sources: [a, b]\njobs: [${list(499, () => "{},")}]`, ["cannot have more than 500 jobs"]],
  ])("%.60j is rejected", (text, expected) => {
    expect(complaints(text)).toEqual(expected.map((message) => `Manifest ${message}`));
  });

  test.each([
    ["exactly 1 MiB", docker + "#".repeat(1024 * 1024 - docker.length)],
    ["100 stages, each listed twice,", `${docker}stages: [${list(100, (n) => `s${n},s${n},`)}]`],
    ["500 jobs", `${docker}sources: [a, a]\njobs: [${list(499, () => "{},")}]`],
    ["a workspace below the root", "driver: {type: docker, image: a, workspace: /a..b/.c/}"],
    ["a key whose value has another type, but no content", `${docker}env: ""\njobs: {}\nnamespace: []`],
  ])("%s is valid", (_name, text) => {
    expect(complaints(text)).toEqual([]);
  });

  test("a disabled driver is rejected, unless all drivers are accepted", () => {
    const dockerOnly = { acceptedDrivers: ["docker"] };
    expect(complaints("driver: {type: os}", dockerOnly)).toEqual(["Manifest driver error: os - driver disabled"]);
    expect(complaints("driver: {type: qemu}", dockerOnly)).toEqual([
      "Manifest driver error: qemu - driver disabled",
      "Manifest driver qemu requires image",
    ]);
    expect(complaints("driver: {type: os}", { acceptedDrivers: undefined })).toEqual([]);
  });

  test("messages state the configured limits", () => {
    const text = `${docker}stages: [a, b, c]\njobs: [{stage: a}, {stage: b}]`;
    const expected = ["Manifest cannot have more than 2 stages", "Manifest cannot have more than 1 jobs"];
    expect(complaints(text, { maxStages: 2, maxJobs: 1 })).toEqual(expected);
    expect(complaints(text, { maxBytes: 64 })).toEqual(["Manifest cannot exceed 64 bytes"]);
    expect(complaints("x".repeat(4096), { maxBytes: 2048 })).toEqual(["Manifest cannot exceed 2 KiB"]);
    expect(complaints("x".repeat(3 << 20), { maxBytes: 2 << 20 })).toEqual(["Manifest cannot exceed 2 MiB"]);
  });
});

const tenMistakes = `
namespace: team/app
driver: {type: docker, workspace: build}
env: [BAD, GOOD=1]
objects: [a => ../b]
sources: [--upload-pack=evil, https://a/b]
stages: {a: b}
allow_failures: no
jobs: [{stage: a, artifacts: [x => ""/.., ok]}]
`;

test("ten mistakes get ten messages, and the namespace is still returned", () => {
  const reading = readManifest(tenMistakes, { ...limits, maxJobs: 0, acceptedDrivers: ["qemu"] });
  if ("manifest" in reading) throw new Error("valid");
  expect(reading.namespace).toBe("team/app");
  expect(reading.complaints.map(({ message, line, column }) => [message, line, column])).toEqual([
    ["Manifest stages has the wrong type", 7, 9],
    ["Manifest allow_failures has the wrong type", 8, 17],
    ["Manifest driver error: docker - driver disabled", 3, 16],
    ["Manifest driver docker requies image", 3, 16],
    ["Manifest driver docker invalid workspace build", 3, 35],
    ["Manifest env invalid entry BAD", 4, 7],
    ["Manifest objects invalid entry a => ../b", 5, 11],
    ['Manifest artifacts invalid entry x => ""/..', 9, 31],
    ["Manifest sources invalid entry --upload-pack=evil", 6, 11],
    ["Manifest cannot have more than 0 jobs", 9, 1],
  ]);
});

test("the entries of a manifest are limited", () => {
  const artifacts = (count: number) => `{artifacts: [${list(count, (n) => `a${n},`)}]}, {artifacts: [b]}`;
  const commands = (count: number) => `{commands: &c [${"c,".repeat(count)}]}, ${"{commands: *c}, ".repeat(99)}`;
  const of = (count: number) =>
    `${docker}env: [${list(count, (n) => `A${n}=,`)}]\nobjects: [${list(count, (n) => `o${n},`)}]\njobs: [${commands(count)}${artifacts(count * 5 - 1)}]`;
  expect(complaints(of(1_000))).toEqual([]);
  expect(complaints(of(1_001))).toEqual([
    "Manifest line 2, column 6: cannot have more than 1000 entries in env",
    "Manifest line 3, column 10: cannot have more than 1000 entries in objects",
    "Manifest line 4, column 7: cannot have more than 5000 artifacts",
    "Manifest line 4, column 7: cannot have more than 100000 commands",
  ]);
});

test("the entries in env of jobs and services are limited together", () => {
  const env = (count: number) => `env: [${list(count, (n) => `A${n}=,`)}]`;
  const of = (count: number) => `${docker}services: [{name: a, image: b, ${env(6_000)}}]\njobs: [{${env(count)}}]`;
  expect(complaints(of(4_000))).toEqual([]);
  expect(complaints(of(4_001))).toEqual([
    "Manifest line 3, column 7: cannot have more than 10000 entries in env of jobs and services",
  ]);
});

test("the complaints about 50,000 mistakes fit into a response", () => {
  const found = complaints(`${docker}env: [${list(50_000, (n) => `no${n},`)}"${"ü".repeat(5_000)}"]`);
  expect(found).toHaveLength(100);
  expect(complaints(`${docker}env: ["${"x".repeat(99)}😀😀"]`)).toEqual([
    `Manifest env invalid entry ${"x".repeat(99)}😀`,
  ]);
});

test.each([
  ["", true],
  ["{}", true],
  ['driver:\nenv: []\njobs: {}\nnamespace: ""\nstages: ~', true],
  ["namespace: a", false],
  ["env: [[]]", false],
  ["[]", false],
  ["a: [", false],
  [`#${"x".repeat(1024 * 1024)}`, false],
])("%.40j is blank: %s", (text, blank) => {
  expect(isBlank(text, limits.maxBytes)).toBe(blank);
});
