// biome-ignore-all lint/suspicious/noTemplateCurlyInString: an axis is replaced in a text of this form
import { turnsDuring } from "@ci/testkit/turns-during";
import { manifestReader, manifests } from "../src/actions/manifest/read-manifest.js";

const limits = { maxBytes: 1024 * 1024, maxStages: 100, maxJobs: 500 };
const large = `driver: {type: os}\nstages: [a]\njobs:\n- stage: a\n  commands:\n${"  - echo hello\n".repeat(50_000)}`;
const middle = `${large.slice(0, 9_000)}\n`;
type Reading = Awaited<ReturnType<typeof manifests.read>>;
const commandsIn = (reading: Reading) => ("manifest" in reading ? reading.manifest.jobs[0]!.commands : []);
const commandsOf = (reading: Reading) => ("manifest" in reading ? commandsIn(reading).length : reading.complaints);
const options = { taskMs: 60_000, idleMs: 1_000, heapMb: 256 };

test("other work gets its turn while a large manifest is read", async () => {
  const pending = manifests.read(1, large, limits);
  expect(await turnsDuring(pending)).toBeGreaterThan(100);
  expect(commandsOf(await pending)).toBe(50_000);
});

test("complaints about a large manifest, and a large one that changes nothing", async () => {
  expect(await manifests.read(1, `a: ${"[".repeat(100_000)}`, limits)).toEqual({
    complaints: [
      { message: "Manifest invalid YAML: Nested more than 32 levels deep at line 1, column 35", line: 1, column: 35 },
    ],
  });
  expect(await manifests.read(1, "x".repeat(2_000_000), limits)).toEqual({
    complaints: [{ message: "Manifest cannot exceed 1 MiB" }],
  });
  expect(await manifests.isBlank(1, `driver:\n${"#\n".repeat(10_000)}`, limits)).toBe(true);
  expect(await manifests.isBlank(1, large, limits)).toBe(false);
});

test.each([
  [{ ...options, taskMs: 1 }, "Manifest cannot take more than 0.001 s to read; make it shorter"],
  [{ ...options, heapMb: 8 }, "Manifest cannot take more than 8 MiB to read; make it shorter"],
])("a manifest that takes too much is invalid, with %j", async (options, complaint) => {
  const reader = manifestReader(options);
  expect(await reader.read(1, large, limits)).toEqual({ complaints: [{ message: complaint }] });
  await expect(reader.isBlank(1, large, limits)).rejects.toMatchObject({ fields: { manifest: [complaint] } });
});

test("a manifest that needs too much memory ends no other", async () => {
  const reader = manifestReader({ ...options, heapMb: 16 });
  const [bad, good] = await Promise.all([reader.read(1, large, limits), reader.read(2, middle, limits)]);
  expect([commandsOf(bad), commandsOf(good)]).toEqual([
    [{ message: "Manifest cannot take more than 16 MiB to read; make it shorter" }],
    expect.any(Number),
  ]);
});

test("a long quoted text takes little more memory than itself", async () => {
  const jobs = [{ commands: [`echo ${"x ".repeat(500_000)}`] }];
  const reader = manifestReader({ ...options, heapMb: 16 });
  const reading = await reader.read(1, JSON.stringify({ driver: { type: "os" }, jobs }), limits);
  expect(commandsIn(reading)).toEqual(jobs[0]!.commands);
});

test("a user's large manifests wait for each other and not for those of others; too many are refused", async () => {
  const reader = manifestReader(options);
  const ended: number[] = [];
  const read = (userId: number) => reader.read(userId, large, limits).then(() => ended.push(userId));
  const first = Promise.all([read(1), read(1), read(1)]);
  const waiting = Array.from({ length: 62 }, () => reader.read(1, middle, limits));
  await expect(read(1)).rejects.toMatchObject({
    code: "exhausted",
    message: "Too many manifests at once, cannot exceed 64 waiting per user; await a response before you send the next",
  });
  await Promise.all([first, read(2), ...waiting]);
  // The second user's manifest began at once, beside the first one of the other user.
  expect(ended.indexOf(2)).toBeLessThan(3);
});

test("the reading of a short manifest is remembered for the same limits, and nothing can change it", async () => {
  const short = "driver: {type: os}\nstages: [a]\njobs: [{stage: a, commands: [echo]}]\n";
  const reading = await manifests.read(1, short, limits);
  expect(await manifests.read(2, short, limits)).toBe(reading);
  expect(await manifests.read(1, short, { ...limits, maxJobs: 0 })).toHaveProperty("complaints");
  expect(() => (commandsIn(reading) as string[]).push("rm")).toThrow(TypeError);
});

test("what cached readings hold is limited, not only the length of their manifests", async () => {
  const reader = manifestReader(options);
  const jobs = (n: number) => `# ${n}\ndriver: {type: os}\njobs: [${"{},".repeat(490)}]\n`;
  const first = await reader.read(1, jobs(0), limits);
  expect(await reader.read(1, jobs(0), limits)).toBe(first);
  for (let n = 1; n < 200; n++) await reader.read(1, jobs(n), limits);
  expect(await reader.read(1, jobs(0), limits)).not.toBe(first);
});

/** A thread that ends at once: what is read in one is refused. */
const noThread = { ...options, taskMs: 0 };
const inThread = "Manifest cannot take more than 0 s to read; make it shorter";

test.each([
  ["a matrix", "matrix: {A: [1]}"],
  ["a matrix whose name has escapes", '"m\\u0061trix": {A: [1]}'],
  ["a matrix whose name has two lines", '? "mat\\\n  rix"\n: {A: [1]}'],
  ["an alias", "env: &x [A=1]\nobjects: *x"],
  ["an alias of a name that looks like a space", "env: &\u00a0 [A=1]\nobjects: *\u00a0"],
  ["an alias of a name of signs", "env: &&& [A=1]\nobjects: *&&"],
])("a short manifest with %s is read in a thread", async (_what, rest) => {
  const text = `driver: {type: os}\n${rest}\n`;
  const reader = manifestReader(noThread);
  expect(await reader.read(1, text, limits)).toEqual({ complaints: [{ message: inThread }] });
  await expect(reader.isBlank(1, text, limits)).rejects.toMatchObject({ fields: { manifest: [inThread] } });
  expect(await manifests.read(1, text, limits)).toHaveProperty("manifest");
});

test.each([
  ["lines", "env:\n", "-\n", 2],
  ["mappings", "jobs: [", "{},", 2],
  ["keys", "", "? a\n", 2],
  ["nested lists", "env:\n", `${" -".repeat(30)}\n`, 31],
])("a short manifest with many %s is read in a thread; one with few is not", async (_what, begin, line, marks) => {
  const reader = manifestReader(noThread);
  const refusal = { complaints: [{ message: inThread }] };
  expect(await reader.read(1, begin + line.repeat(1_100 / marks), limits)).toEqual(refusal);
  expect(await reader.read(1, begin + line.repeat(900 / marks), limits)).not.toEqual(refusal);
});

test("a short manifest with globs, and a command that waits for nothing, is read without a thread", async () => {
  const text = 'driver: {type: os}\njobs: [{commands: [a && b, c &], artifacts: ["out/*.log", "**/*.xml"]}]';
  expect(await manifestReader(noThread).read(1, text, limits)).toHaveProperty("manifest");
});

test("a thread refuses what combinations make too much", async () => {
  const fifty = Array.from({ length: 50 }, (_, n) => n);
  const driver = `driver: {type: docker, image: "${"${A}".repeat(600)}", workspace: /b}`;
  expect(
    await manifests.read(1, `${driver}\nmatrix: {A: ["${"x".repeat(255)}"], B: [${fifty}]}`, limits),
  ).toMatchObject({
    complaints: [{ message: expect.stringContaining("more than 6291456 characters") }],
  });
});
