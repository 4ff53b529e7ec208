import { text as textOf } from "node:stream/consumers";
import { parseAllow } from "@ci/kit/net/guard";
import { createLog } from "@ci/kit/process/log";
import type Docker from "dockerode";
import { extract, type Pack, pack } from "tar-stream";
import { type DockerOptions, dockerDriver } from "../src/drivers/docker.js";
import type { EgressConfig } from "../src/drivers/egress/egress-config.js";
import { type WorkRoot, workRoot } from "../src/drivers/work-root.js";
import type { Subject } from "./_subject.js";

interface Place {
  readonly image: string;
  readonly name: string;
  readonly dir: string;
}

/** Changes nothing on the host: for tests of something else. */
export const openEgress: EgressConfig = { mode: "open", allow: [], image: "" };

/** Limits of a container, and the images of tests. */
export const dockerLimits = {
  ...{
    localImages: ["*"] as string[],
    registries: [] as string[],
    pullBytes: 1024 ** 3,
    serviceReadyMs: 120_000,
    networkKeepMs: 0,
    spares: { max: 0, keepMs: 60_000 },
    guard: { allow: parseAllow("") },
  },
  ...{ cpus: 2, memoryBytes: 512 * 1024 ** 2, diskBytes: 1024 ** 3, files: 1_000_000, pids: 256 },
  capabilities: [] as string[],
};

export const engineHost = process.env.DOCKER_HOST ?? "unix:///var/run/docker.sock";

/** Options of a driver for the local engine. */
export const dockerOptions = (name: string, root: WorkRoot, more: Partial<DockerOptions> = {}): DockerOptions => ({
  host: engineHost,
  ...dockerLimits,
  ...{ name, root, path: process.env.PATH!, egress: openEgress, log: createLog("runner", "silent") },
  ...more,
});

/** The driver for the local engine under a name of its own; `dir` holds its folders. */
export async function dockerSubject(
  engine: Docker,
  { image, name, dir, spares = dockerLimits.spares }: Place & { readonly spares?: DockerOptions["spares"] },
): Promise<Subject> {
  const root = await workRoot(dir, name);
  const driver = dockerDriver(dockerOptions(name, root, { spares }));
  const labelled = (buildId: number) => ({ label: [`ci.runner=${name}`, `ci.build=${buildId}`] });
  /** The label of a container that waited does not say which build uses it. */
  const isFixed = ({ Labels: labels }: { Labels?: Readonly<Record<string, string>> }) => !labels?.["ci.spare"];
  const leftOf = async (buildId: number) =>
    (await driver.leftovers()).filter(({ mark }) => mark.buildId === buildId).map(({ what }) => what);

  /** Returns the ids of a build's containers. */
  async function containersOf(buildId: number, all: boolean): Promise<string[]> {
    const own = await engine.listContainers({ all, filters: labelled(buildId) });
    const ours = await engine.listContainers({ all, filters: { label: [`ci.runner=${name}`] } });
    const left = new Set(await leftOf(buildId));
    const taken = ours.filter((one) => !isFixed(one) && left.has(`container ${one.Id}`));
    return [...own.filter(isFixed), ...taken].map(({ Id }) => Id);
  }

  return {
    driver,
    order: { image, workspace: "/workspace" },
    elsewhere: "/somewhere/else",
    async processes(buildId) {
      const counts = (await containersOf(buildId, false)).map(async (id) => {
        // `top` fails for a container that has just ended.
        const top = await engine
          .getContainer(id)
          .top()
          .catch(() => ({ Processes: [] }));
        return top.Processes.length;
      });
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
    runs: async (buildId) => (await containersOf(buildId, false)).length > 0,
    async traces(buildId) {
      const filters = labelled(buildId);
      const containers = await containersOf(buildId, true);
      const networks = await engine.listNetworks({ filters });
      const { Volumes: volumes } = await engine.listVolumes({ filters });
      const folders = (await root.all("docker")).filter(({ mark }) => mark.buildId === buildId);
      const all = [
        ...containers.map((id) => `container ${id}`),
        ...networks.filter(({ Name }) => !Name.startsWith("ci-spare-")).map(({ Id }) => `network ${Id}`),
        ...(volumes ?? []).filter(isFixed).map(({ Name }) => `volume ${Name}`),
        ...folders.map(({ path }) => `folder ${path}`),
        ...(await leftOf(buildId)),
      ];
      return [...new Set(all)];
    },
  };
}

interface Derived {
  readonly base: string;
  readonly tag: string;
  /** Lines of a Dockerfile, such as `LABEL a=b`. */
  readonly changes?: string;
  /** Another `/bin/sh`. */
  readonly shell?: string;
  /** Adds further files. */
  readonly add?: (files: Pack) => void;
}

/** Makes an image from another one. */
export async function deriveImage(engine: Docker, { base, tag, changes, shell, add }: Derived): Promise<string> {
  const container = await engine.createContainer({ Image: base, Cmd: ["true"] });
  try {
    const files = pack();
    if (shell !== undefined) files.entry({ name: "bin/sh", mode: 0o755 }, shell);
    add?.(files);
    files.finalize();
    await container.putArchive(files as unknown as NodeJS.ReadableStream, { path: "/" });
    await container.commit({ repo: tag, tag: "1", ...(changes && { changes }) });
    return `${tag}:1`;
  } finally {
    await container.remove();
  }
}

/** Returns what the file `/file` of an image says. */
export async function fileIn(engine: Docker, image: string): Promise<string> {
  const container = await engine.createContainer({ Image: image, Cmd: ["/file"] });
  try {
    const files = extract();
    (await container.getArchive({ path: "/file" })).pipe(files as unknown as NodeJS.WritableStream);
    let text = "";
    for await (const entry of files) text += await textOf(entry as unknown as NodeJS.ReadableStream);
    return text;
  } finally {
    await container.remove();
  }
}
