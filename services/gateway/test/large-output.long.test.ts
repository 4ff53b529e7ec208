import { eventually } from "@ci/testkit/eventually";
import { type Processes, type ServiceName, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";

const names = suite();
const MiB = 1024 * 1024;
const watched: ServiceName[] = ["runner", "builds", "gateway", "namespaces", "webhooks"];
let ci: Processes;

beforeAll(async () => {
  ci = await startProcesses(names);
});
afterAll(() => ci?.[Symbol.asyncDispose]());

/** Runs a build with one job, and calls `meanwhile` repeatedly until it ends. */
async function run(commands: string[], meanwhile: () => Promise<void> = async () => {}) {
  const manifest = JSON.stringify({
    driver: { type: "os" },
    stages: ["s"],
    jobs: [{ stage: "s", name: "say", commands }],
  });
  const { json: build } = await ci.api.post("/builds", { manifest });
  return eventually(
    async () => {
      await meanwhile();
      const { json } = await ci.api.get(`${build.url}`);
      if (json.finished_at === null) throw new Error(`The build is ${json.status}`);
      return json;
    },
    { withinMs: 600_000 },
  );
}

const manyMegabytes = "head -c 300000000 /dev/zero | tr '\\0' 'x' | fold -w 99";

it("300 MB of a job's output are truncated, and no process grows by more than 128 MiB", async () => {
  const getUser = async () => expect((await ci.api.get("/user")).status).toBe(200);
  // The first runs load code and size the heaps, which the test must not measure.
  for (let time = 0; time < 2; time++) await run([manyMegabytes], getUser);
  const before = new Map(watched.map((name) => [name, ci.anonymousBytes(name)]));
  const peak = new Map(before);
  const build = await run([manyMegabytes], async () => {
    for (const name of watched) peak.set(name, Math.max(peak.get(name)!, ci.anonymousBytes(name)));
    await getUser();
  });
  expect(build.status).toBe("passed");
  const { json: job } = await ci.api.get(`${build.url}/jobs/say`);
  expect(job.output).toMatch(/^-- \d+ bytes left out, see output_url --\n/);
  expect(job.output).toMatch(/\n-- output truncated after \d+ bytes --\n$/);
  const text = (await ci.api.get(job.output_url)).bytes;
  expect(text.length).toBeGreaterThan(16 * MiB - 1024);
  expect(text.length).toBeLessThan(16 * MiB + 1024);
  const grown = watched.map((name) => [name, Math.round((peak.get(name)! - before.get(name)!) / MiB)] as const);
  expect(grown.filter(([, mib]) => mib > 128)).toEqual([]);
}, 1_200_000);
