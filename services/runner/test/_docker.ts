import { parseAllow } from "@ci/kit/net/guard";
import { createLog } from "@ci/kit/process/log";
import type { DockerOptions } from "../src/drivers/docker.js";
import type { EgressConfig } from "../src/drivers/egress/egress-config.js";
import type { WorkRoot } from "../src/drivers/work-root.js";

/** Changes nothing on the host: for tests of something else. */
export const openEgress: EgressConfig = { mode: "open", allow: [], image: "" };

/** Limits of a container, and the images of tests. */
export const dockerLimits = {
  ...{
    localImages: ["*"] as string[],
    registries: [] as string[],
    pullBytes: 1024 ** 3,
    serviceReadyMs: 120_000,
    guard: { allow: parseAllow("") },
  },
  ...{ cpus: 2, memoryBytes: 512 * 1024 ** 2, diskBytes: 1024 ** 3, files: 1_000_000, pids: 256 },
  capabilities: [] as string[],
};

/** Options of a driver for the local engine. */
export const dockerOptions = (name: string, root: WorkRoot, more: Partial<DockerOptions> = {}): DockerOptions => ({
  host: process.env.DOCKER_HOST ?? "unix:///var/run/docker.sock",
  ...dockerLimits,
  ...{ name, root, path: process.env.PATH!, egress: openEgress, log: createLog("runner", "silent") },
  ...more,
});
