import { createLog } from "@ci/kit/process/log";
import type { EgressConfig } from "../src/config.js";
import type { DockerOptions } from "../src/drivers/docker.js";
import type { WorkRoot } from "../src/drivers/work-root.js";

/** Changes nothing on the host: for tests of something else. */
export const openEgress: EgressConfig = { mode: "open", allow: [], image: "" };

/** Options of a driver for the local engine. */
export const dockerOptions = (name: string, root: WorkRoot, more: Partial<DockerOptions> = {}): DockerOptions => ({
  host: process.env.DOCKER_HOST ?? "unix:///var/run/docker.sock",
  ...{ cpus: 2, memoryBytes: 512 * 1024 ** 2, pids: 256, capabilities: [] },
  ...{ name, root, path: process.env.PATH!, egress: openEgress, log: createLog("runner", "silent") },
  ...more,
});
