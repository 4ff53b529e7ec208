import { complaints as collector } from "./complaints.js";
import { readManifest } from "./manifest.js";
import { complainOfUnknown, type Keys, key } from "./mapping.js";
import { text } from "./spec.js";

const limits = { maxBytes: 1024 * 1024, maxStages: 100, maxJobs: 500 };
const complaints = (text: string) =>
  readManifest(`driver: {type: os}\n${text}`, limits).complaints.map(({ message }) => message.replace("Manifest ", ""));

describe("an unknown key", () => {
  test.each([
    // The word of another language
    ["jobs:\n- script: [make]", 'line 3: unknown key "script" in a job; did you mean "commands"?'],
    ["environment: [A=b]", 'line 2: unknown key "environment"; did you mean "env"?'],
    // A typing mistake
    ["job: []", 'line 2: unknown key "job"; did you mean "jobs"?'],
    ["allow-failures: []", 'line 2: unknown key "allow-failures"; did you mean "allow_failures"?'],
    [
      "jobs:\n- {stage: a}\n- stage: b\n  comands: [make]",
      'line 5: unknown key "comands" in a job; did you mean "commands"?',
    ],
    ["stage: [a]", 'line 2: unknown key "stage"; did you mean "stages"?'],
    ["jobs:\n- stages: a", 'line 3: unknown key "stages" in a job; did you mean "stage"?'],
    // Something else
    ["name: CI", 'line 2: unknown key "name"'],
    ["x-team: {a: b}", 'line 2: unknown key "x-team"'],
    ["constructor: a", 'line 2: unknown key "constructor"'],
    [
      "x: &x {job: a}\njobs: [*x]",
      'line 2: unknown key "x"',
      'line 2: unknown key "job" in a job; did you mean "jobs" at the top of the manifest?',
    ],
    ["jobs:\n- needs: [a]", 'line 3: unknown key "needs" in a job; did you mean "stage"?'],
    ["jobs:\n- Timeout-Minutes: 5", 'line 3: unknown key "Timeout-Minutes" in a job; did you mean "timeout"?'],
    // A key of another place
    [
      "jobs:\n- services: []",
      'line 3: unknown key "services" in a job; did you mean "services" at the top of the manifest?',
    ],
    ["jobs:\n- image: a", 'line 3: unknown key "image" in a job; did you mean "driver" at the top of the manifest?'],
    ["retry: 2", 'line 2: unknown key "retry"; did you mean "retry" in a job?'],
    ["when: {status: failed}", 'line 2: unknown key "status" in when; did you mean "status" in a job?'],
    [`${"k".repeat(1_000)}: a`, `line 2: unknown key "${"k".repeat(100)}"`],
  ])("%s is refused", (text, ...expected) => {
    expect(complaints(text)).toEqual(expected);
  });

  test.each([
    ["docker, image: a, workspace: /b, arch: x", 'line 1: unknown key "arch" in a driver of type docker'],
    ["qemu, image: a, workspce: /b", 'line 1: unknown key "workspce" in a driver of type qemu'],
    ["os, image: a", 'line 1: unknown key "image" in a driver of type os'],
  ])("of a driver is refused where its type does not have it: %s", (keys, expected) => {
    const reading = readManifest(`driver: {type: ${keys}}`, limits);
    expect(reading.complaints).toMatchObject([{ message: `Manifest ${expected}`, line: 1 }]);
  });
});

test("of 1,000 unknown keys only those that are named get a suggestion", () => {
  let lookups = 0;
  const ownKeys = (known: object) => {
    lookups++;
    return Reflect.ownKeys(known);
  };
  const keys = new Proxy<Keys>({ stage: key(text, "The stage", "test") }, { ownKeys });
  const unknown = Array.from({ length: 1_000 }, (_, at) => [`k${at}`, { at, tree: { at, value: "" } }] as const);
  const collected = collector((line) => ({ line, column: 1 }));
  complainOfUnknown(new Map(unknown), keys, " in a job", collected);
  expect(collected.list).toHaveLength(100);
  expect(lookups).toBeLessThan(200);
});
