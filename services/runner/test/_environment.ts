import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@ci/kit/process/log";
import { type Assignment, QueueServiceDefinition } from "@ci/proto/builds/v1/queue";
import { connect } from "@ci/testkit/identities";
import { runBuild } from "../src/build.js";
import { type Copies, openCopies } from "../src/caches/copies.js";
import type { Driver, Environment } from "../src/driver.js";
import { keepLease } from "../src/work/lease.js";
import { type QueuedBuild, startQueue, type TestQueue } from "./_queue.js";

const noop = async () => undefined;

/** Returns a function that runs a build in an environment that does only what the test says. */
export function bareEnvironments() {
  let queue: TestQueue;
  let client: ReturnType<typeof connect>;
  let dir: string;
  let copies: Copies;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
    copies = await openCopies(dir, 0);
    queue = await startQueue();
    client = connect(queue.address);
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await queue[Symbol.asyncDispose]();
    await rm(dir, { recursive: true });
  });

  return async (
    assignment: Assignment,
    { run, ...more }: Pick<Environment, "run"> & Partial<Environment>,
  ): Promise<QueuedBuild> => {
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
    const build = queue.submit(assignment);
    Object.assign(build, { jobIndex: 0, running: [0] });
    const stub = client.client(QueueServiceDefinition);
    using lease = keepLease(stub, assignment, { ...queue.times, claimedAt: performance.now() });
    const ctx = {
      config: { id: "a", builds: 1, drainMs: 0, cloneBytes: 0 },
      agent: undefined as never,
      queue: stub,
      objects: stub as never,
      drivers: new Map(),
      readiness: undefined as never,
      copies,
      log: createLog("runner", "silent"),
    };
    await runBuild(ctx, driver, assignment, { lease, onOver: () => undefined });
    return build;
  };
}
