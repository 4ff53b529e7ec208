import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllow } from "@ci/kit/net/guard";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { createLog } from "@ci/kit/process/log";
import { QueueServiceDefinition } from "@ci/proto/builds/v1/queue";
import { connect, openedIdentity } from "@ci/testkit/identities";
import { openCopies } from "../src/caches/copies.js";
import { openWork } from "../src/work/work.js";
import { anAssignment } from "./_assignment.js";
import { aFolder, osSubject } from "./_os.js";
import { startQueue } from "./_queue.js";

const log = createLog("runner", "silent");

/**
 * Runs a build that ends after the runner's last claim. Returns how often that made room for another one, and how often the
 * runner claimed.
 */
async function freed(builds: number, heldBack: boolean, wasLast = false): Promise<{ freed: number; claims: number }> {
  const [queue, folder, { driver }] = [await startQueue(), aFolder(), await osSubject(undefined)];
  const channel = connect(queue.address, openedIdentity("runner"));
  const agent = guardedAgent({ allow: parseAllow("") });
  let count = 0;
  const ctx = {
    ...{ agent, log, copies: await openCopies(join(folder, "copies"), 0) },
    config: { builds, drainMs: 0, id: "r", cloneBytes: 0 },
    queue: channel.client(QueueServiceDefinition),
    drivers: new Map([["os", driver] as const]),
    readiness: { drivers: async () => ["os" as const], failed() {}, worked() {}, disks: async () => [] },
  };
  const work = openWork(ctx, () => count++);
  const go = join(folder, "go");
  const build = queue.submit(anAssignment({}, [`while [ ! -e ${go} ]; do sleep 0.05; done`]));
  Object.assign(queue, { heldBack, wasLast });
  await work.claim();
  writeFileSync(go, "");
  await work.drain();
  expect(build.final).toBe("passed");
  await channel[Symbol.asyncDispose]();
  await agent.destroy();
  await queue[Symbol.asyncDispose]();
  return { freed: count, claims: queue.calls.filter((call) => call === "claimBuild").length };
}

test("after a build, the runner claims again if it had no room for more", async () => {
  expect(await freed(1, false)).toMatchObject({ freed: 1 });
});

test("after a build, the runner claims again if builds wait for the end of others", async () => {
  expect(await freed(2, true)).toMatchObject({ freed: 1 });
});

test("after a build, the runner does not claim if the queue was empty", async () => {
  expect(await freed(2, false)).toEqual({ freed: 0, claims: 2 });
});

test("the runner does not claim again after the last queued build", async () => {
  expect(await freed(2, false, true)).toEqual({ freed: 0, claims: 1 });
});
