import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@ci/kit/process/log";
import type { BuildLease } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import type { Mark } from "../src/driver.js";
import { processes, startTimeOf } from "../src/drivers/os/processes.js";
import { osDriver } from "../src/drivers/os.js";
import { workRoot } from "../src/drivers/work-root.js";
import { sweep } from "../src/sweep.js";
import { never, orderOf } from "./_subject.js";

const log = createLog("runner", "silent");
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "runner-test-"));
});
afterEach(() => rm(dir, { recursive: true }));

/** A driver that knows nothing of what another one of the same name has made. */
async function openDriver() {
  const driver = await osDriver({ root: await workRoot(dir, "name"), path: process.env.PATH!, log });
  return { driver, order: { image: "", workspace: "" } };
}

/** A build that somebody has started and does not look after any more. */
async function abandoned(script: string): Promise<Mark> {
  const subject = await openDriver();
  const order = orderOf(subject as never, [script]);
  const environment = subject.driver.environment(order);
  await environment.prepare(() => undefined, never);
  environment.run(order.jobs[0]!, async () => undefined, never).catch(() => undefined);
  await eventually(async () => expect((await inDir()).length).toBeGreaterThan(1));
  return order.mark;
}

const inDir = async () =>
  (await processes(0n)).filter(({ home, folder }) => home?.startsWith(dir) || folder?.startsWith(dir));
const folders = async () => (await readdir(join(dir, "name"))).filter((entry) => entry.startsWith("os."));

const sweeping = async (leases: readonly BuildLease[], running: readonly Mark[] = []) => ({
  drivers: [(await openDriver()).driver],
  queue: { listLeases: async () => ({ leases }) },
  runnerId: "id",
  running: () => running,
  log,
});

test("a build without lease is ended and removed, whatever it has done to hide", async () => {
  await abandoned("(HOME=/ setsid sleep 1000)& (cd /; exec env -i sleep 1001)& trap '' TERM; sleep 1002; :");
  expect(await sweep(await sweeping([]))).toBe(1);
  expect(await folders()).toEqual([]);
  expect(await inDir()).toEqual([]);
});

test("a build with a lease of this runner stays", async () => {
  const mark = await abandoned("sleep 1000; :");
  expect(await sweep(await sweeping([mark]))).toBe(0);
  expect((await folders()).length).toBe(1);
  expect(await sweep(await sweeping([{ ...mark, epoch: 2 }]))).toBe(1);
});

test("a build that runs in this process stays, and the queue is not even asked", async () => {
  const mark = await abandoned("sleep 1000; :");
  const queue = { listLeases: () => Promise.reject(new Error("asked")) };
  expect(await sweep({ ...(await sweeping([], [mark])), queue })).toBe(0);
  expect((await folders()).length).toBe(1);
  await sweep(await sweeping([]));
});

test("when the queue does not answer everything stays", async () => {
  await abandoned("sleep 1000; :");
  const queue = { listLeases: () => Promise.reject(new Error("away")) };
  await expect(sweep({ ...(await sweeping([])), queue })).rejects.toThrow("away");
  expect((await folders()).length).toBe(1);
  await sweep(await sweeping([]));
});

test("a group of processes is not ended for the number of one that is gone", async () => {
  const mark = await abandoned("sleep 1000; :");
  const stranger = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  const [folder] = await folders();
  await appendFile(join(dir, "name", folder!, "groups"), `${stranger.pid} 12345\n`);
  expect(await sweep(await sweeping([]))).toBe(1);
  expect(mark.epoch).toBe(1);
  expect(stranger.exitCode).toBeNull();
  const ended = once(stranger, "exit");
  stranger.kill();
  expect(await ended).toEqual([null, "SIGTERM"]);
});

test("two runners of one name do not run at a time", async () => {
  const other = spawn("sleep", ["1000"], { stdio: "ignore" });
  await workRoot(dir, "name");
  const file = join(dir, "name", "runner.json");
  await writeFile(file, JSON.stringify({ pid: other.pid, startTime: startTimeOf(other.pid!) }));
  await expect(workRoot(dir, "name")).rejects.toThrow(/A runner called name runs already/);
  await workRoot(dir, "another");
  const ended = once(other, "exit");
  other.kill();
  await ended;
  await workRoot(dir, "name");
});
