import { turnsDuring } from "@ci/testkit/turns-during";
import { manifestReader, manifests } from "../src/actions/read-manifest.js";

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
