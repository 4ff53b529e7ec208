import { turnsDuring } from "@ci/testkit/turns-during";
import { isBlankAside, readManifestAside } from "../src/actions/read-manifest.js";

const limits = { maxBytes: 1024 * 1024, maxStages: 100, maxJobs: 500 };
const large = `driver: {type: os}\nstages: [a]\njobs:\n- stage: a\n  commands:\n${"  - echo hello\n".repeat(50_000)}`;

test("other work gets its turn while a large manifest is read", async () => {
  const pending = readManifestAside(large, limits);
  expect(await turnsDuring(pending)).toBeGreaterThan(100);
  const reading = await pending;
  expect("manifest" in reading && reading.manifest.jobs[0]!.commands.length).toBe(50_000);
});

test("complaints about a large manifest, and a large one that changes nothing", async () => {
  expect(await readManifestAside(`a: ${"[".repeat(100_000)}`, limits)).toEqual({
    complaints: ["Manifest invalid YAML: Nested more than 32 levels deep at line 1, column 35"],
  });
  expect(await readManifestAside("x".repeat(2_000_000), limits)).toEqual({
    complaints: ["Manifest cannot exceed 1 MiB"],
  });
  expect(await isBlankAside(`driver:\n${"#\n".repeat(10_000)}`, limits)).toBe(true);
  expect(await isBlankAside(large, limits)).toBe(false);
});
