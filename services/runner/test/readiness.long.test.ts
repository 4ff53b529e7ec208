import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@ci/kit/process/log";
import { metrics } from "@ci/kit/process/metrics";
import { Fault } from "@ci/kit/rpc/fault";
import { Driver_Type } from "@ci/proto/builds/v1/queue";
import { eventually } from "@ci/testkit/eventually";
import type { Driver } from "../src/driver.js";
import { HostTrouble, isHostTrouble, mayPass, reasonOf } from "../src/endings/errors.js";
import { readinessOf } from "../src/work/readiness.js";
import { anAssignment } from "./_assignment.js";
import { bootRunner } from "./_suite.js";

describe("a runner whose disk is full", () => {
  const booted = bootRunner({ freeSpaceBytes: 2 ** 60 });

  test("is not ready and claims nothing until there is space", async () => {
    const build = booted.submit(anAssignment({}, ["true"]));
    await eventually(async () => expect(await booted.ready()).toBe(false));
    expect(await metrics.metrics()).toMatch(/ci_runner_disk_short\{disk="work"\} 1/);
    expect(booted.queue.calls).not.toContain("claimBuild");
    (booted.config as { freeSpaceBytes: number }).freeSpaceBytes = 1;
    await eventually(() => expect(build.final).toBe("passed"));
    expect(await booted.ready()).toBe(true);
    expect(await metrics.metrics()).toMatch(/ci_runner_disk_short\{disk="work"\} 0/);
  });
});

describe("a runner that cannot write its own files", () => {
  const booted = bootRunner();

  test("gives the build back with the reason, claims nothing, and continues once it can write", async () => {
    const folder = join(booted.config.dir, booted.config.name);
    await rename(folder, `${folder}.away`);
    await writeFile(folder, "");
    const build = booted.submit(anAssignment({}, ["true"]));
    await eventually(() => expect(build.returned).toBe(true));
    expect([build.outcomes, build.text]).toEqual([[], "This runner cannot go on: internal error\n"]);
    const claims = () => booted.queue.calls.filter((call) => call === "claimBuild").length;
    // A claim may still be under way.
    const claimsBefore = await eventually(async () => {
      const count = claims();
      expect([await booted.ready(), claims()]).toEqual([false, count]);
      return count;
    });
    const laterBuild = booted.submit(anAssignment({}, ["true"]));
    expect(await booted.ready()).toBe(false);
    expect(claims()).toBe(claimsBefore);
    await rm(folder);
    await rename(`${folder}.away`, folder);
    await eventually(() => expect(laterBuild.final).toBe("passed"));
    expect(await booted.ready()).toBe(true);
    expect(await readFile(join(folder, "runner.json"), "utf8")).toContain("pid");
  });
});

test.each([
  [Object.assign(new Error("write"), { code: "ENOSPC" }), true, true, "the disk of the runner is full"],
  [new HostTrouble("Docker Engine cannot be reached"), true, true, "Docker Engine cannot be reached"],
  [new Fault("unavailable", "Service unavailable"), true, false, "Service unavailable"],
  [new Fault("internal", "Internal error"), true, false, "Internal error"],
  [new Error("whatever"), true, false, "internal error"],
  [new Fault("precondition", "not found"), false, false, "not found"],
])("%s: fault of the runner %s, trouble of the host %s", (error, runnerFault, hostTrouble, reason) => {
  expect([mayPass(error), isHostTrouble(error), reasonOf(error)]).toEqual([runnerFault, hostTrouble, reason]);
});

describe("a driver makes room", () => {
  const readinessWith = (driver: Partial<Driver>, freeSpaceBytes: number, makeRoom: () => Promise<void>) =>
    readinessOf({
      config: { dir: tmpdir(), freeSpaceBytes },
      drivers: new Map([[Driver_Type.os, { type: Driver_Type.os, ready: async () => true, ...driver } as Driver]]),
      copies: { makeRoom },
      log: createLog("runner", "silent"),
    });

  test.each([
    ["stay", "/proc", 1, 0],
    ["go", tmpdir(), 2 ** 60, 1],
  ])("copies of caches %s if %s is short of space", async (_what, path, freeSpaceBytes, times) => {
    let made = 0;
    const driver = { disks: () => [{ name: "engine", path }] as const };
    await readinessWith(driver, freeSpaceBytes, async () => void made++).drivers();
    expect(made).toBe(times);
  });

  test.each([
    [1, "on the disk of its images", tmpdir()],
    [0, "not on another one", "/proc"],
    [1, "on any disk if it cannot see that of its images", "/nowhere"],
  ])("%i times %s", async (times, _where, path) => {
    let made = 0;
    const driver = { disks: () => [{ name: "images", path }] as const, makeRoom: async () => void made++ };
    await readinessWith(driver, 2 ** 60, async () => undefined).drivers();
    expect(made).toBe(times);
  });
});

test("a driver that does not respond yet does not delay the others, and joins them later", async () => {
  let respond = (_: boolean) => {};
  const response = new Promise<boolean>((resolve) => {
    respond = resolve;
  });
  const slow = { type: Driver_Type.docker, ready: () => response } as Driver;
  const quick = { type: Driver_Type.os, ready: async () => true } as Driver;
  const { drivers } = readinessOf({
    config: { dir: tmpdir(), freeSpaceBytes: 1 },
    drivers: new Map([slow, quick].map((driver) => [driver.type, driver])),
    copies: { makeRoom: async () => undefined },
    log: createLog("runner", "silent"),
  });
  expect(await drivers()).toEqual([Driver_Type.os]);
  respond(true);
  await eventually(async () => expect(await drivers()).toEqual([Driver_Type.docker, Driver_Type.os]));
});
