import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createLog } from "@ci/kit/process/log";
import { sharedFolder } from "@ci/testkit/shared-folder";
import type { UidRange } from "../src/config.js";
import { lookAtIds } from "../src/drivers/os/process-ids.js";
import { processesOf, startTimeOf } from "../src/drivers/os/processes.js";
import { osDriver } from "../src/drivers/os.js";
import { workRoot } from "../src/drivers/work-root.js";
import { installation } from "./_assignment.js";
import type { Subject } from "./_subject.js";

const made: string[] = [];
// The driver makes the next pipe in the background, possibly while its folder is removed.
afterAll(() => Promise.all(made.map((path) => rm(path, { recursive: true, maxRetries: 10 }))));

/** Makes a folder where jobs can read and write. It is removed after the tests of the file. */
export function aFolder(): string {
  const path = sharedFolder("runner-test-");
  made.push(path);
  return path;
}

/** Returns all processes started at or after `since`, in ticks since boot. */
export const processes = (since = 0n) => processesOf(lookAtIds().ids, since);

/** Opens an os driver that runs jobs as these users, or as the runner's own. */
export async function osSubject(uids: UidRange | undefined, name = "contract"): Promise<Subject> {
  const dir = aFolder();
  const root = await workRoot(dir, name);
  const inBuild = (buildId: number) => join(dir, name, `os.i${installation}.${buildId}.`);
  // Processes older than this test are not its jobs.
  const since = BigInt(startTimeOf(process.pid)!);
  const count = async (buildId: number) => {
    const all = await processes(since);
    return all.filter(({ home }) => home?.startsWith(inBuild(buildId))).length;
  };
  return {
    driver: await osDriver({ root, path: process.env.PATH!, uids, log: createLog("runner", "silent") }),
    order: { image: "", workspace: "" },
    elsewhere: join(aFolder(), randomUUID()),
    processes: count,
    runs: async (buildId) => (await count(buildId)) > 0,
    async traces(buildId) {
      const all = await root.all("os");
      return all.filter(({ mark }) => mark.buildId === buildId).map(({ path }) => path);
    },
  };
}
