// Runners without drivers: they claim builds, and report every job as passed at once.
//   simulated-runners.mjs BUILDS_ADDRESS NATS_URL    with SERVICE_KEY and SERVICE_PEERS of a runner
// Each message `{ runners, builds }` starts that many runners. The reply comes when that many builds are done.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { connectBus } from "@ci/kit/bus/bus";
import { identityWith, readSettings } from "@ci/kit/process/config";
import { createLog } from "@ci/kit/process/log";
import { connect } from "@ci/kit/rpc/connect";
import { openIdentity } from "@ci/kit/rpc/identity";
import { QueueServiceDefinition } from "@ci/proto/builds/v1/queue";

const [address = "", natsUrl = ""] = process.argv.slice(2);
const driver = "docker";
const log = createLog("simulated-runners", "warn");
const identity = openIdentity(
  readSettings(process.env, (s) => identityWith(s, "runner", { buildsAddr: address })),
  log,
);
const bus = await connectBus(natsUrl, "ci", "runner", log);
const queue = connect(address, identity).client(QueueServiceDefinition);

/** @type {Set<() => void>} */
const waiting = new Set();
bus.onNudge(`queue.${driver}`, () => {
  for (const wake of waiting) wake();
});

/** Resolves when a build may be queued: with the next nudge, or after a second. */
const news = () => new Promise((resolve) => waiting.add(() => resolve(undefined)));

/** @param {import("@ci/proto/builds/v1/queue").Assignment} assignment */
const finish = async ({ buildId, epoch, leaseSecret, jobs, outputBytes: offset }) => {
  for (const { id: jobId } of jobs) {
    const job = { buildId, epoch, leaseSecret, jobId, offset, followsOrder: true };
    await queue.finishJob({ ...job, outcome: "passed", text: "", placedObjectIds: [] });
  }
};

/** @param {{ left: number }} task */
const run = async (task) => {
  const runnerId = randomUUID();
  while (task.left > 0) {
    const { assignment } = await queue.claimBuild({ runnerId, drivers: [driver], followsOrder: true });
    if (assignment) {
      await finish(assignment);
      task.left--;
    } else await Promise.race([news(), pause(1_000)]);
  }
};

process.on("message", async (/** @type {{ runners: number, builds: number }} */ { runners, builds }) => {
  const task = { left: builds };
  const startMs = performance.now();
  await Promise.all(Array.from({ length: runners }, () => run(task)));
  process.send?.({ seconds: (performance.now() - startMs) / 1_000 });
});
process.on("disconnect", () => process.exit(0));
process.send?.({});
