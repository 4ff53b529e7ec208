import { readManifest } from "./manifest.js";

const limits = { maxBytes: 1024 * 1024, maxStages: 100, maxJobs: 500 };
const driver = "driver: {type: os}\n";
const read = (text: string, isStored = false) => readManifest(driver + text, { ...limits, isStored });
const complaints = (text: string, isStored = false) => {
  const reading = read(text, isStored);
  return "manifest" in reading ? [] : reading.complaints.map(({ message }) => message.replace("Manifest ", ""));
};

describe("stages", () => {
  test.each([
    ["stages: [build, test]\njobs:\n- stage: tests", 'line 4: stage "tests" is not one of the stages: build, test'],
    ["stages: [build, test]\njobs:\n- commands: [a]", "line 4: a job has no stage; the stages are: build, test"],
    ["stages: [a]\nallow_failures:\n- b", 'line 4: allow_failures: "b" is not one of the stages: a'],
    ["jobs: [{stage: a}]\nparallel: [build]", 'line 3: parallel: "build" is not one of the stages: a'],
    ["parallel: [build]", 'line 2: parallel: "build" is not a stage: the manifest has no jobs'],
    ["stages: [a, '']\njobs: [{commands: [b]}]", "line 2, column 13: a stage must have a name"],
    ["stages:\n- a\n-\njobs: [{commands: [b]}]", "line 4, column 2: a stage must have a name"],
    ['jobs: [{stage: "a\\0b"}]', "line 2, column 16: the name of a stage cannot have control characters"],
    [
      'stages: [a, "b\\n"]\njobs: [{stage: a}]',
      "line 2, column 13: the name of a stage cannot have control characters",
    ],
    ["jobs: [{stage: a}]\nallow_failures: [build]", 'line 3: allow_failures: "build" is not one of the stages: a'],
  ])("%j is refused", (text, expected) => {
    expect(complaints(text)).toEqual([expected]);
  });

  test("without a list are those of the jobs, in order of appearance; a job without one belongs to build", () => {
    const reading = read("jobs: [{stage: z}, {name: x}, {stage: a}, {stage: z}, {stage: ''}]");
    if (!("manifest" in reading)) throw new Error(JSON.stringify(reading));
    expect(reading.manifest.stages).toEqual(["z", "build", "a"]);
    expect(reading.manifest.jobs.map(({ stage }) => stage)).toEqual(["z", "build", "a", "z", "build"]);
  });
});

test("a stored manifest is read as it was when it was stored", () => {
  const text = "x: y\nstages: [a]\nallow_failures: [b]\njobs: [{stage: b, script: [c]}, {commands: [d]}]";
  expect(complaints(text)).toHaveLength(5);
  const reading = read(text, true);
  if (!("manifest" in reading)) throw new Error(JSON.stringify(reading));
  expect(reading.manifest).toMatchObject({ stages: ["a"], jobs: [{ stage: "b", commands: [] }, { stage: "" }] });
  expect(["manifest" in read("when: {path: !docs/**}"), "manifest" in read("when: {path: !docs/**}", true)]).toEqual([
    false,
    true,
  ]);
});

test("the name of a stage or of a job has at most 200 characters, but not in a stored manifest", () => {
  const named = (name: string) => `stages: [${name}, a]\njobs: [{stage: ${name}, name: ${name}}]`;
  expect(complaints(named("😀".repeat(200)))).toEqual([]);
  const tooLong = "cannot be longer than 200 characters";
  expect(complaints(named("n".repeat(201)))).toEqual([
    `line 2, column 10: stages[0] ${tooLong}`,
    `line 3, column 16: stage ${tooLong}`,
    `line 3, column 225: name ${tooLong}`,
  ]);
  expect(complaints(named("n".repeat(201)), true)).toEqual([]);
});

test("a name for the files of a glob is refused if no file could be collected under it, but not in a stored manifest", () => {
  const named = (source: string, length: number) =>
    `jobs:\n- artifacts:\n  - a.txt\n  - "${source} => ${"n".repeat(length)}*"`;
  expect(complaints(named("*.txt", 4_095))).toEqual([]);
  expect(complaints(named("b.txt", 4_096))).toEqual([]);
  const refusal = "the name for the files of a glob cannot be longer than 4096 characters";
  expect(complaints(named("*.txt", 4_096))).toEqual([`line 5, column 5: ${refusal}`]);
  const reading = read(named("*.txt", 4_096), true);
  expect("manifest" in reading && reading.manifest.jobs[0]!.artifacts).toHaveLength(2);
});

describe("the run of a job", () => {
  const jobOf = (keys: string, more: { maxTimeoutMs?: number; isStored?: boolean } = {}) =>
    readManifest(`${driver}jobs:\n- stage: a\n  ${keys}`, { ...limits, ...more });
  const timesMissing = "retry.times is missing: say how often the script runs again, as in {times: 2, codes: [75]}";

  test.each([
    ["timeout: 10min", { timeoutMs: 600_000 }],
    ["retry: 2", { retry: { times: 2, codes: [] } }],
    ["retry: {times: 1, codes: [75, 1]}", { retry: { times: 1, codes: [75, 1] } }],
    ["retry: 0", { retry: undefined }],
    ["retry: {times: 0, codes: [75]}", { retry: undefined }],
    ["retry: {codes: []}", { retry: undefined }],
    ["when: {status: failed}", { status: ["failed"] }],
    ["when: {status: [passed, failed]}", { status: ["passed", "failed"] }],
    ["when: {status: ''}", { stage: "a" }],
    ["when:", { stage: "a" }],
    ["timeout:\n  retry: []", { timeoutMs: undefined, retry: undefined }],
  ])("%s is read", (keys, expected) => {
    expect(jobOf(keys)).toMatchObject({ manifest: { jobs: [expected] } });
  });

  test.each([
    ["timeout: 10", 'line 4, column 12: timeout must be a time such as 90s, 10min or 2h, not "10"'],
    ["timeout: 0s", 'line 4, column 12: timeout must be a time such as 90s, 10min or 2h, not "0s"'],
    ["timeout: 2h", 'line 4, column 12: timeout must be a time of 30min or less, not "120min"'],
    ["timeout: [a]", "line 4, column 12: timeout must be a string, not a list"],
    ["retry: 6", 'line 4, column 10: retry must be a whole number from 0 to 5, not "6"'],
    ["retry: -1", 'line 4, column 10: retry must be a whole number from 0 to 5, not "-1"'],
    [
      "retry: [2]",
      "line 4, column 10: retry must be a number or a mapping, not a list; for example {times: 2, codes: [75]}",
    ],
    ["retry: {times: [2]}", "line 4, column 18: times must be a number, not a list; for example 2"],
    ["retry: {times: x}", 'line 4, column 18: times must be a whole number from 0 to 5, not "x"'],
    ["retry: {times: 1, codes: [0]}", 'line 4, column 29: codes[0] must be a whole number from 1 to 255, not "0"'],
    ["retry: {codes: [75]}", `line 4, column 10: ${timesMissing}`],
    ["retry: {times: , codes: [75]}", `line 4, column 10: ${timesMissing}`],
    ["when: {status: fail}", 'line 4, column 18: unknown status "fail"; did you mean "failed"?'],
    ["when: {state: failed}", 'line 4: unknown key "state" in when; did you mean "status"?'],
    [
      "when: failed",
      "line 4, column 9: when must be a mapping, not a string; for example {branch: main, status: [passed, failed]}",
    ],
    ["retry: {time: 1}", 'line 4: unknown key "time" in retry; did you mean "times"?'],
  ])("%s is refused", (keys, expected) => {
    const reading = jobOf(keys, { maxTimeoutMs: 1_800_000 });
    expect(reading.complaints.map(({ message }) => message)).toEqual([`Manifest ${expected}`]);
  });

  test("a stored manifest with codes and no times is read as before", () => {
    expect(jobOf("retry: {codes: [75]}", { isStored: true })).toMatchObject({
      manifest: { jobs: [{ retry: undefined }] },
    });
  });
});

test.each([
  ["driver: # x\n  image: a\n", "invalid driver specified"],
  [`${driver}sources:\n- dir: c\n  url: -x\n`, "sources invalid entry -x"],
  [`${driver}stages: # x\n- a\n- b\njobs: [{stage: a}]`, "cannot have more than 1 stages"],
  [`${driver}sources: [a]\njobs: # x\n- {stage: a}\n- {stage: a}\n`, "cannot have more than 2 jobs"],
])("the place of the complaint about %j is known, even if its message does not name it", (text, expected) => {
  const reading = readManifest(text, { ...limits, maxStages: 1, maxJobs: 2 });
  const line = text.split("\n").findIndex((one) => one.includes("x")) + 1;
  expect(reading.complaints).toMatchObject([{ message: `Manifest ${expected}`, line }]);
});

test("a text with a colon outside of a list is shown without a dash", () => {
  expect(complaints("jobs:\n- name:\n    a: b")).toEqual([
    `line 4, column 5: name must be a string, not a mapping; quote it ("'a: b'")`,
  ]);
});

describe("a command with a colon", () => {
  test.each([
    ["echo foo: bar", `; quote it ("- 'echo foo: bar'")`],
    ["echo it's: 1", `; quote it ("- 'echo it''s: 1'")`],
    ["make:", `; quote it ("- 'make:'")`],
    // The steps of another language
    ["run: npm test", `; write only the text ("- 'npm test'")`],
    ["FOO=bar: baz", `; quote it ("- 'FOO=bar: baz'")`],
    [`echo ${"a".repeat(100)}: b`, "; quote it"],
    ["{a: b, c: d}", ""],
    ["{ cd a; make; }", ""],
    ["{a: b}", ""],
    ["a: [b]", ""],
  ])("%s is refused, and the complaint shows how to write it", (command, hint) => {
    expect(complaints(`jobs:\n- commands:\n  - a\n  - b\n  - ${command}`)).toEqual([
      `line 6, column 5: commands[2] must be a string, not a mapping${hint}`,
    ]);
  });
});

test.each([
  ["env:\n- A: it's", `env[0] must be a string, not a mapping; write it as KEY=VALUE ("- 'A=it''s'")`],
  ["objects:\n- a.pem: /b/c", `objects[0] must be a string, not a mapping; write it with => ("- 'a.pem => /b/c'")`],
  ["stages:\n- run: b", `stages[0] must be a string, not a mapping; quote it ("- 'run: b'")`],
])("the complaint about %j shows how to write it", (text, expected) => {
  expect(complaints(text)).toEqual([`line 3, column 3: ${expected}`]);
});

test("the complaint about an artifact with a colon shows how to name it", () => {
  expect(complaints("jobs:\n- artifacts:\n  - a/b.tar: c.tar")).toEqual([
    `line 4, column 5: artifacts[0] must be a string, not a mapping; write it with => ("- 'a/b.tar => c.tar'")`,
  ]);
});

test("an axis of a matrix called env has no variables", () => {
  expect(complaints("matrix:\n  env:\n  - a: b")).toEqual([
    `line 4, column 5: env[0] must be a string, not a mapping; quote it ("- 'a: b'")`,
  ]);
});

test("a source may be a mapping, and a job may have variables and a shell of its own", () => {
  const reading = read(
    "sources:\n- u/a main => b\n- {url: u/c.git, ref: v1, dir: d, depth: 3, submodules: true}\n- {url: u/e}\n" +
      "jobs: [{shell: bash, env: [A=1, A=2], commands: [c]}]",
  );
  if (!("manifest" in reading)) throw new Error(JSON.stringify(reading));
  expect(reading.manifest).toMatchObject({
    sources: [
      { url: "u/a", ref: "main", directory: "b" },
      { url: "u/c.git", ref: "v1", directory: "d", depth: 3, submodules: true },
      { url: "u/e", ref: "", directory: "e" },
    ],
    jobs: [{ shell: "bash", env: [{ key: "A", value: "2" }] }],
  });
});

test.each([
  ["sources: [{url: u/a, depth: 0}]", 'line 2, column 29: depth must be a whole number from 1 to 1000000, not "0"'],
  [
    "sources: [{url: u/a, dir: ../b}]",
    'line 2, column 27: invalid dir "../b" in a source; it cannot begin with "-", contain ".." or have control characters',
  ],
  [
    "sources: [{url: u/a, ref: -x}]",
    'line 2, column 27: invalid ref "-x" in a source; it cannot begin with "-" or have control characters',
  ],
  ["sources: [{url: -u/a, ref: x}]", "sources invalid entry -u/a"],
  ["sources: [{ref: main}]", "sources invalid entry"],
  ["sources: [{url: u/a, branch: b}]", 'line 2: unknown key "branch" in a source; did you mean "ref"?'],
  ["sources: [{url: u/a, submodules: yes}]", 'line 2, column 34: unknown submodules "yes"; known are "true", "false"'],
  ["sources: [[a]]", "line 2, column 11: sources[0] must be a string, not a list"],
  [
    "jobs: [{shell: bash -e}]",
    'line 2, column 16: shell must be a name or an absolute path, without options, not "bash -e"',
  ],
  ["jobs: [{shell: -e}]", 'line 2, column 16: shell must be a name or an absolute path, without options, not "-e"'],
  ["jobs: [{env: [1=a]}]", "env invalid entry 1=a"],
])("%j is refused", (text, expected) => {
  expect(complaints(text)).toEqual([expected]);
});

const docker = "driver: {type: docker, image: a, workspace: /b}\n";
const readDocker = (text: string) => readManifest(docker + text, limits);

test("a service has a name, an image, and what it starts with", () => {
  const reading = readDocker(
    "services:\n- {name: db, image: 'postgres:17', env: [A=1], command: [a, b c], ready: pg_isready}\n- {name: c, image: d}",
  );
  if (!("manifest" in reading)) throw new Error(JSON.stringify(reading));
  expect(reading.manifest.services).toEqual([
    { name: "db", image: "postgres:17", env: [{ key: "A", value: "1" }], command: ["a", "b c"], ready: "pg_isready" },
    { name: "c", image: "d", env: [], command: [] },
  ]);
});

test.each([
  ["services: [{image: a}]", "line 2, column 12: a service must have a name"],
  [
    "services: [{name: DB, image: a}]",
    'line 2, column 19: the name of a service must be lower-case letters, digits and dashes, not "DB"',
  ],
  ...["localhost", "127", "0x7f"].map((name) => [
    `services: [{name: ${name}, image: a}]`,
    `line 2, column 19: jobs cannot reach a service named "${name}"; choose another name`,
  ]),
  ["services: [{name: db, image: 'Postgres:17'}]", 'line 2, column 30: "Postgres:17" is not the name of an image'],
  ["services: [{name: db}]", 'line 2, column 12: service "db" must have an image'],
  ["services: [{name: a, image: b}, {name: a, image: c}]", "line 2, column 40: services duplicate name a"],
  [`services: [${"{name: a, image: b},".repeat(11)}]`, "line 2, column 212: cannot have more than 10 services"],
  ["services: [{name: a, image: b, alias: c}]", 'line 2: unknown key "alias" in a service; did you mean "name"?'],
])("%.60j is refused", (text, expected) => {
  const reading = readDocker(text);
  expect(reading.complaints[0]).toMatchObject({ message: `Manifest ${expected}` });
});

test("of too many services no further one is read", () => {
  const named = Array.from({ length: 12 }, (_, n) => `{name: ${n < 10 ? `s${n}` : "BAD"}, image: b}`);
  const reading = readDocker(`services: [${named}]`);
  const refusal = { message: "Manifest line 2, column 222: cannot have more than 10 services", line: 2, column: 222 };
  expect(reading.complaints).toEqual([refusal]);
});

test("only containers have services", () => {
  expect(complaints("services: [{name: a, image: b}]")).toEqual([
    "line 2, column 12: services require the driver docker",
  ]);
});

test.each([
  ["services: [{name: a, image: b}]", "line 2, column 12: services require the driver docker"],
  ["matrix: {A: [1], exclude: [{A: 1}]}", "line 2, column 9: matrix excludes every build"],
  [`matrix: {A: [1, 2], B: [${[...Array(26).keys()]}]}`, "matrix cannot make more than 50 builds"],
  [
    "when: push",
    'line 2, column 7: when must be a mapping, not a string; for example {event: [push, pull], branch: main, path: ["src/**", "!**/*.md"]}',
  ],
  [`cache: [${"{name: a, paths: [b]},".repeat(21)}]`, "cannot have more than 20 caches"],
])("%.60j is refused of a stored manifest, too", (text, expected) => {
  expect(complaints(text, true).join()).toContain(expected);
});
