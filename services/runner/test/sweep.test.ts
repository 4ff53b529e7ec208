import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@ci/kit/process/log";
import type { BuildLease } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import type { Mark } from "../src/driver.js";
import { startTimeOf } from "../src/drivers/os/processes.js";
import { osDriver } from "../src/drivers/os.js";
import { isRoot } from "../src/drivers/user.js";
import { workRoot } from "../src/drivers/work-root.js";
import { removeEarlier, sweep } from "../src/work/sweep.js";
import { installation } from "./_assignment.js";
import { processes } from "./_os.js";
import { never, orderOf } from "./_subject.js";
import { osUids } from "./_suite.js";

const uids = isRoot() ? osUids : undefined;
const log = createLog("runner", "silent");
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "runner-test-"));
});
// An abandoned build may still be closing its files.
afterEach(() => rm(dir, { recursive: true, maxRetries: 10 }));

/** Opens a driver that does not know the environments of another driver with the same name. */
async function openDriver() {
  const driver = await osDriver({ root: await workRoot(dir, "name"), path: process.env.PATH!, uids, log });
  return { driver, order: { image: "", workspace: "" } };
}

/** Starts a build and abandons it. */
async function abandonBuild(script: string, mark: Partial<Mark> = {}): Promise<Mark> {
  const subject = await openDriver();
  const defaults = orderOf(subject as never, [script]);
  const order = { ...defaults, mark: { ...defaults.mark, ...mark } };
  const environment = subject.driver.environment(order);
  await environment.prepare(() => undefined, never);
  environment.run(order.jobs[0]!, async () => undefined, never).catch(() => undefined);
  await eventually(async () => expect((await inDir()).length).toBeGreaterThan(1));
  return order.mark;
}

const inDir = async () =>
  (await processes()).filter(({ home, folder }) => home?.startsWith(dir) || folder?.startsWith(dir));
const folders = async () => (await readdir(join(dir, "name"))).filter((entry) => entry.startsWith("os."));

const sweepOptions = async (leases: readonly BuildLease[], running: readonly Mark[] = []) => ({
  drivers: [(await openDriver()).driver],
  queue: { listLeases: async () => ({ leases, installation }) },
  runnerId: "id",
  running: () => running,
  log,
});

test("sweep ends and removes a build without a lease, however its processes hide", async () => {
  await abandonBuild("(HOME=/ setsid sleep 1000)& (cd /; exec env -i sleep 1001)& trap '' TERM; sleep 1002; :");
  expect(await sweep(await sweepOptions([]))).toBe(1);
  expect(await folders()).toEqual([]);
  expect(await inDir()).toEqual([]);
});

test("sweep keeps a build with a lease of this runner", async () => {
  const mark = await abandonBuild("sleep 1000; :");
  expect(await sweep(await sweepOptions([mark]))).toBe(0);
  expect((await folders()).length).toBe(1);
  expect(await sweep(await sweepOptions([{ ...mark, epoch: 2 }]))).toBe(1);
});

test("sweep keeps a build of another installation; its lease protects no other build with the same id", async () => {
  const otherMark = await abandonBuild("sleep 1000; :", { installation: "d2d2" });
  await abandonBuild("sleep 1000; :", { buildId: otherMark.buildId });
  expect(await sweep(await sweepOptions([], [otherMark]))).toBe(1);
  expect((await folders()).map((name) => name.split(".")[1])).toEqual(["id2d2"]);
  expect(await sweep({ ...(await sweepOptions([])), queue: { listLeases: async () => ({ leases: [] }) } })).toBe(0);
  const otherQueue = { listLeases: async () => ({ leases: [], installation: "d2d2" }) };
  expect(await sweep({ ...(await sweepOptions([])), queue: otherQueue })).toBe(1);
});

test("sweep removes the folder of an earlier version", async () => {
  const mark = await abandonBuild("sleep 1000; :", { installation: undefined });
  expect(await sweep(await sweepOptions([mark]))).toBe(0);
  expect(await sweep(await sweepOptions([]))).toBe(1);
  expect(await inDir()).toEqual([]);
});

test("sweep keeps a build that runs in this process without a request to the queue", async () => {
  const mark = await abandonBuild("sleep 1000; :");
  const queue = { listLeases: () => Promise.reject(new Error("asked")) };
  expect(await sweep({ ...(await sweepOptions([], [mark])), queue })).toBe(0);
  expect((await folders()).length).toBe(1);
  await sweep(await sweepOptions([]));
});

test("sweep keeps everything while the queue does not answer", async () => {
  await abandonBuild("sleep 1000; :");
  const queue = { listLeases: () => Promise.reject(new Error("away")) };
  await expect(sweep({ ...(await sweepOptions([])), queue })).rejects.toThrow("away");
  expect((await folders()).length).toBe(1);
  await sweep(await sweepOptions([]));
});

test("sweep does not end a process group that reuses an old id", async () => {
  const mark = await abandonBuild("sleep 1000; :");
  const unrelated = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  const [folder] = await folders();
  await appendFile(join(dir, "name", folder!, "groups"), `${unrelated.pid} 12345\n`);
  expect(await sweep(await sweepOptions([]))).toBe(1);
  expect(mark.epoch).toBe(1);
  expect(unrelated.exitCode).toBeNull();
  const ended = once(unrelated, "exit");
  unrelated.kill();
  expect(await ended).toEqual([null, "SIGTERM"]);
});

test("workRoot rejects a second runner with the same name", async () => {
  const otherRunner = spawn("sleep", ["1000"], { stdio: "ignore" });
  await workRoot(dir, "name");
  const file = join(dir, "name", "runner.json");
  await writeFile(file, JSON.stringify({ pid: otherRunner.pid, startTime: startTimeOf(otherRunner.pid!) }));
  await expect(workRoot(dir, "name")).rejects.toThrow(/A runner called name runs already/);
  await workRoot(dir, "another");
  const ended = once(otherRunner, "exit");
  otherRunner.kill();
  await ended;
  await workRoot(dir, "name");
});

describe("before a build runs again", () => {
  const of = (buildId: number, what: string, remove: () => Promise<void>, mayRun = false) => ({
    mark: { installation, buildId, epoch: 1 },
    what,
    mayRun,
    remove,
  });
  const again = { installation, buildId: 7, epoch: 2 };

  test("the removal of every leftover is tried, and of an unknown build only what may still run stops the attempt", async () => {
    const gone: string[] = [];
    const goes = (what: string) => async () => void gone.push(what);
    const stays = async () => Promise.reject(new Error("volume is in use"));
    const leftovers = async () => [
      of(0, "volume of nobody", stays),
      of(0, "container of nobody", goes("container of nobody"), true),
      of(7, "container", goes("container"), true),
      of(7, "network", goes("network")),
      of(8, "container of another", goes("container of another"), true),
    ];
    await removeEarlier({ leftovers }, again, log);
    expect(gone).toEqual(["container of nobody", "container", "network"]);
    const running = async () => [of(0, "container of nobody", stays, true), ...(await leftovers())];
    await expect(removeEarlier({ leftovers: running }, again, log)).rejects.toThrow("volume is in use");
    expect(gone).toHaveLength(6);
  });

  test("a sweep that removes the same thing is waited for", async () => {
    let removing = 0;
    const remove = async () => {
      if (++removing > 1) throw new Error("removal is already in progress");
      await new Promise(setImmediate);
      removing--;
    };
    const leftovers = async () => [of(7, "container", remove, true)];
    const sweeping = sweep({ ...(await sweepOptions([])), drivers: [{ leftovers }] });
    await Promise.all([sweeping, removeEarlier({ leftovers }, again, log)]);
    expect(await sweeping).toBe(1);
  });
});
