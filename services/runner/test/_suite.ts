import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bus, connectBus } from "@ci/kit/bus/bus";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { identityOf } from "@ci/testkit/identities";
import { suite } from "@ci/testkit/suite";
import type { Config, QemuConfig } from "../src/config.js";
import type { Times } from "../src/context.js";
import { start } from "../src/service.js";
import { dockerLimits, openEgress } from "./_docker.js";
import { type QueuedBuild, startQueue, type TestQueue } from "./_queue.js";

/** A runner for `os` builds, an in-memory queue and a bus. */
export interface Booted {
  readonly queue: TestQueue;
  readonly bus: Bus;
  readonly config: Config;
  /** Queues a build, announces it on the bus and resolves when it has ended. */
  run(assignment: QueuedBuild["assignment"]): Promise<QueuedBuild>;
  submit(assignment: QueuedBuild["assignment"]): QueuedBuild;
  kill(build: QueuedBuild): void;
  /** Stops the runner. */
  stop(): Promise<void>;
  /** Reports whether the runner is ready. */
  ready(): Promise<boolean>;
  /** Drains the runner. */
  drain(hurry: AbortSignal): Promise<void>;
  /** Lists the folders of builds. */
  folders(): Promise<string[]>;
}

/** Returns a configuration that every host can serve. */
export const aQemu = (imagesDir: string): QemuConfig => ({
  ...{
    acceleration: "tcg",
    cpus: 1,
    memoryBytes: 256 * 1024 ** 2,
    diskBytes: 1024 ** 3,
    outbound: false,
    firstUid: 60_800,
  },
  ...{ imagesDir, cacheBytes: 1024 ** 3, virtualBytes: 1024 ** 3 },
  keepLimitMs: 3_600_000,
  warm: { perImage: 0, maxMachines: 0, keepMs: 60_000 },
});

/** The default of OS_UIDS. */
export const osUids = { first: 60_600, last: 60_799 };

/** Starts the runner before a file's tests and stops it after them. It gives builds back however slow the machine is. */
export function bootRunner(overrides: Partial<Config> = {}, times: Times = {}): Booted {
  const names = suite();
  const booted = {} as { -readonly [K in keyof Booted]: Booted[K] };
  let dir: string;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
    booted.queue = await startQueue();
    booted.bus = await connectBus(names.natsUrl, names.subjectPrefix, "builds", createLog("test", "silent"));
    booted.config = {
      drivers: ["os"],
      builds: 2,
      drainMs: 0,
      dir,
      freeSpaceBytes: 0,
      cloneBytes: 1024 ** 3,
      cacheCopiesBytes: 1024 ** 3,
      name: names.subjectPrefix,
      id: names.subjectPrefix,
      path: process.env.PATH!,
      egress: openEgress,
      os: { path: process.env.PATH!, uids: osUids },
      docker: { host: "unix:///var/run/docker.sock", ...dockerLimits, pids: 256 },
      qemu: aQemu(join(dir, "images")),
      buildsAddr: booted.queue.address,
      identity: identityOf("runner"),
      imagesAddr: booted.queue.address,
      natsUrl: names.natsUrl,
      subjectPrefix: names.subjectPrefix,
      adminListen: "127.0.0.1:0",
      logLevel: "silent",
      ...overrides,
    };
    const runner = await start(booted.config, { returnWithinMs: 600_000, ...times });
    booted.ready = async () => (await fetch(`http://127.0.0.1:${runner.adminPort}/readyz`)).ok;
    booted.drain = (hurry) => runner.drain(hurry);
    let stopped: Promise<void> | undefined;
    booted.stop = () => {
      stopped ??= Promise.resolve(runner[Symbol.asyncDispose]());
      return stopped;
    };
  });

  booted.submit = (assignment) => {
    const build = booted.queue.submit(assignment);
    booted.bus.nudge(`queue.${assignment.driver!.type}`);
    return build;
  };
  booted.run = async (assignment) => {
    const build = booted.submit(assignment);
    const progress = () => build.outcomes.length + build.artifacts.length + build.text.length;
    await eventually(() => expect(build.final).toBeDefined(), { everyMs: 5, progress });
    return build;
  };
  booted.kill = (build) => {
    build.killed = true;
    booted.bus.nudge(`kill.${build.assignment.buildId}`);
  };
  booted.folders = async () =>
    (await readdir(join(dir, encodeURIComponent(booted.config.name)))).filter((entry) => /^(os|docker)\./.test(entry));

  afterAll(async () => {
    await booted.stop();
    await booted.bus[Symbol.asyncDispose]();
    await booted.queue[Symbol.asyncDispose]();
    // The driver creates the next pipe in the background, possibly while its folder is removed.
    await rm(dir, { recursive: true, maxRetries: 10 });
  });
  return booted;
}

/** Retries with more time until the result is enough, for attempts that a slow machine may end early. */
export async function inMoreTime<T>(attempt: (ms: number) => Promise<T>, isEnough: (result: T) => boolean): Promise<T> {
  for (let ms = 300; ; ms *= 3) {
    const result = await attempt(ms);
    if (isEnough(result) || ms > 20_000) return result;
  }
}
