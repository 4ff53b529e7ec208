import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@ci/kit/process/log";
import { processes, startTimeOf } from "../src/drivers/os/processes.js";
import { osDriver } from "../src/drivers/os.js";
import { workRoot } from "../src/drivers/work-root.js";
import { installation } from "./_queue.js";
import { driverContract } from "./driver-contract.js";

const folders: string[] = [];
// The driver creates the next pipe in the background, possibly while its folder is removed.
afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true, maxRetries: 10 }))));

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "runner-test-"));
  folders.push(path);
  return path;
}

driverContract(async () => {
  const dir = await folder();
  const root = await workRoot(dir, "contract");
  const inBuild = (buildId: number) => join(dir, "contract", `os.i${installation}.${buildId}.`);
  // Processes older than the test are not its jobs.
  const since = BigInt(startTimeOf(process.pid)!);
  const count = async (buildId: number) => {
    const all = await processes(since);
    return all.filter(({ home }) => home?.startsWith(inBuild(buildId))).length;
  };
  return {
    driver: await osDriver({ root, path: process.env.PATH!, log: createLog("runner", "silent") }),
    order: { image: "", workspace: "" },
    elsewhere: join(await folder(), randomUUID()),
    processes: count,
    runs: async (buildId) => (await count(buildId)) > 0,
    async traces(buildId) {
      const all = await root.all("os");
      return all.filter(({ mark }) => mark.buildId === buildId).map(({ path }) => path);
    },
  };
});
