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
import { isRoot } from "../src/drivers/user.js";
import { workRoot } from "../src/drivers/work-root.js";
import { sweep } from "../src/work/sweep.js";
import { installation } from "./_queue.js";
import { never, orderOf } from "./_subject.js";
import { osUids } from "./_suite.js";

const uids = isRoot() ? osUids : undefined;
const log = createLog("runner", "silent");
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "runner-test-"));
});
afterEach(() => rm(dir, { recursive: true }));

/** A driver that does not know what another one with the same name has made. */
async function openDriver() {
  const driver = await osDriver({ root: await workRoot(dir, "name"), path: process.env.PATH!, uids, log });
  return { driver, order: { image: "", workspace: "" } };
}

/** An abandoned build. */
async function abandoned(script: string, of: Partial<Mark> = {}): Promise<Mark> {
  const subject = await openDriver();
  const usual = orderOf(subject as never, [script]);
  const order = { ...usual, mark: { ...usual.mark, ...of } };
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
  queue: { listLeases: async () => ({ leases, installation }) },
  runnerId: "id",
  running: () => running,
  log,
});

test("ends and removes a build without a lease, whatever it did to hide", async () => {
  await abandoned("(HOME=/ setsid sleep 1000)& (cd /; exec env -i sleep 1001)& trap '' TERM; sleep 1002; :");
  expect(await sweep(await sweeping([]))).toBe(1);
  expect(await folders()).toEqual([]);
  expect(await inDir()).toEqual([]);
});

test("keeps a build with a lease of this runner", async () => {
  const mark = await abandoned("sleep 1000; :");
  expect(await sweep(await sweeping([mark]))).toBe(0);
  expect((await folders()).length).toBe(1);
  expect(await sweep(await sweeping([{ ...mark, epoch: 2 }]))).toBe(1);
});

test("keeps a build of another installation, whose lease protects no other build with the same id", async () => {
  const theirs = await abandoned("sleep 1000; :", { installation: "d2d2" });
  await abandoned("sleep 1000; :", { buildId: theirs.buildId });
  expect(await sweep(await sweeping([], [theirs]))).toBe(1);
  expect((await folders()).map((name) => name.split(".")[1])).toEqual(["id2d2"]);
  expect(await sweep({ ...(await sweeping([])), queue: { listLeases: async () => ({ leases: [] }) } })).toBe(0);
  const theirQueue = { listLeases: async () => ({ leases: [], installation: "d2d2" }) };
  expect(await sweep({ ...(await sweeping([])), queue: theirQueue })).toBe(1);
});

test("removes a folder left by an earlier version", async () => {
  const mark = await abandoned("sleep 1000; :", { installation: undefined });
  expect(await sweep(await sweeping([mark]))).toBe(0);
  expect(await sweep(await sweeping([]))).toBe(1);
  expect(await inDir()).toEqual([]);
});

test("keeps a build that runs in this process without asking the queue", async () => {
  const mark = await abandoned("sleep 1000; :");
  const queue = { listLeases: () => Promise.reject(new Error("asked")) };
  expect(await sweep({ ...(await sweeping([], [mark])), queue })).toBe(0);
  expect((await folders()).length).toBe(1);
  await sweep(await sweeping([]));
});

test("keeps everything while the queue does not answer", async () => {
  await abandoned("sleep 1000; :");
  const queue = { listLeases: () => Promise.reject(new Error("away")) };
  await expect(sweep({ ...(await sweeping([])), queue })).rejects.toThrow("away");
  expect((await folders()).length).toBe(1);
  await sweep(await sweeping([]));
});

test("does not end a process group that reuses an old id", async () => {
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

test("refuses a second runner with the same name", async () => {
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
