import { eventually } from "@ci/testkit/eventually";
import { type Processes, type ServiceName, startProcesses } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";

const names = suite();
const MiB = 1024 * 1024;
const watched: ServiceName[] = ["runner", "builds", "gateway", "namespaces", "webhooks"];
let on: Processes;

beforeAll(async () => {
  on = await startProcesses(names);
});
afterAll(() => on?.[Symbol.asyncDispose]());

/** Runs a build with one job; calls `meanwhile` repeatedly until it ends. */
async function run(commands: string[], meanwhile: () => Promise<void> = async () => {}) {
  const manifest = JSON.stringify({
    driver: { type: "os" },
    stages: ["s"],
    jobs: [{ stage: "s", name: "say", commands }],
  });
  const { json: build } = await on.api.post("/builds", { manifest });
  return eventually(
    async () => {
      await meanwhile();
      const { json } = await on.api.get(`${build.url}`);
      if (json.finished_at === null) throw new Error(`The build is ${json.status}`);
      return json;
    },
    { withinMs: 120_000 },
  );
}

const hundred = "head -c 100000000 /dev/zero | tr '\\0' 'x' | fold -w 99";

it("100 MB of output from one job are capped, and no process grows with the output", async () => {
  const asking = async () => expect((await on.api.get("/user")).status).toBe(200);
  // A first run loads code and sizes the heaps, which is not to be measured.
  for (let time = 0; time < 2; time++) await run([hundred], asking);
  const before = new Map(watched.map((name) => [name, on.rssBytes(name)]));
  const most = new Map(before);
  const build = await run([hundred], async () => {
    for (const name of watched) most.set(name, Math.max(most.get(name)!, on.rssBytes(name)));
    await asking();
  });
  expect(build.status).toBe("passed");
  const { json: job } = await on.api.get(`${build.url}/jobs/say`);
  expect(job.output).toMatch(/^-- \d+ bytes left out, see output_url --\n/);
  expect(job.output).toMatch(/\n-- output truncated after \d+ bytes --\n$/);
  const text = (await on.api.get(job.output_url)).bytes;
  expect(text.length).toBeGreaterThan(16 * MiB - 1024);
  expect(text.length).toBeLessThan(16 * MiB + 1024);
  const grown = watched.map((name) => [name, Math.round((most.get(name)! - before.get(name)!) / MiB)] as const);
  expect(grown.filter(([, mib]) => mib > 64)).toEqual([]);
}, 400_000);
