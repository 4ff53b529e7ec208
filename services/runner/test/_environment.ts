import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@ci/kit/process/log";
import { type Assignment, QueueServiceDefinition } from "@ci/proto/builds/v1/queue";
import { connect } from "@ci/testkit/identities";
import { runBuild } from "../src/build.js";
import { type Copies, openCopies } from "../src/caches/copies.js";
import type { Context } from "../src/context.js";
import type { Driver, Environment } from "../src/driver.js";
import { keepLease } from "../src/work/lease.js";
import { openWork, type Work } from "../src/work/work.js";
import { type QueuedBuild, startQueue, type TestQueue } from "./_queue.js";

const noop = async () => undefined;

/** Runs builds in environments that do only what the test says. */
export function bareEnvironments(start: () => Promise<TestQueue> = startQueue) {
  let queue: TestQueue;
  let client: ReturnType<typeof connect>;
  let dir: string;
  let copies: Copies;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
    copies = await openCopies(dir, 0);
    queue = await start();
    client = connect(queue.address);
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await queue[Symbol.asyncDispose]();
    await rm(dir, { recursive: true });
  });

  type Given = Pick<Environment, "run"> & Partial<Environment>;

  function contextFor({ run, ...more }: Given): Context {
    const environment: Environment = {
      sshFolder: ".ssh",
      prepare: noop,
      put: noop,
      run,
      async *list() {},
      trees: undefined as never,
      open: () => Promise.reject(new Error("it has no files")),
      [Symbol.asyncDispose]: noop,
      ...more,
    };
    const driver: Driver = {
      type: "qemu",
      ready: async () => true,
      environment: () => environment,
      leftovers: async () => [],
    };
    return {
      config: { id: "a", builds: 1, drainMs: 0, cloneBytes: 0 },
      agent: undefined as never,
      queue: client.client(QueueServiceDefinition),
      drivers: new Map([["qemu", driver]]),
      readiness: { drivers: async () => ["qemu"], failed: () => {}, worked: () => {}, disks: async () => [] },
      copies,
      log: createLog("runner", "silent"),
    };
  }

  return {
    /** Runs a build to its end. */
    async runIn(assignment: Assignment, given: Given): Promise<QueuedBuild> {
      const ctx = contextFor(given);
      const build = queue.submit(assignment);
      Object.assign(build, { jobIndex: 0, running: [0] });
      using lease = keepLease(ctx.queue, assignment, { ...queue.times, claimedAt: performance.now() });
      await runBuild(ctx, ctx.drivers.get("qemu")!, assignment, { lease, onOver: () => undefined });
      return build;
    },
    /** Claims a build and returns the work of the runner that has it. */
    async claimIn(assignment: Assignment, given: Given): Promise<{ build: QueuedBuild; work: Work }> {
      const build = queue.submit(assignment);
      const work = openWork(contextFor(given), () => undefined);
      await work.claim();
      return { build, work };
    },
  };
}
