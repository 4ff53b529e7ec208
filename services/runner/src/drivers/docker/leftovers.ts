import type Docker from "dockerode";
import type { Leftover, Mark } from "../../driver.js";
import { removeFolder } from "../os/files.js";
import type { WorkRoot } from "../work-root.js";
import { asked, gone } from "./engine.js";
import { removeContainer } from "./remove.js";

type Labels = Readonly<Record<string, string>>;

/** What everything that is made for a build is labelled with. */
export const labelsOf = (runner: string, { buildId, epoch }: Mark): Labels => ({
  "ci.runner": runner,
  "ci.build": String(buildId),
  "ci.epoch": String(epoch),
});

const markOf = (labels: Labels | null | undefined): Mark => ({
  buildId: Number(labels?.["ci.build"]),
  epoch: Number(labels?.["ci.epoch"]),
});

/** All that carries the runner's label, containers first: they hold on to the rest. */
export async function findLeftovers(engine: Docker, runner: string, root: WorkRoot): Promise<Leftover[]> {
  const filters = { label: [`ci.runner=${runner}`] };
  const containers = await asked(engine.listContainers({ all: true, filters }));
  const networks = await asked(engine.listNetworks({ filters }));
  const { Volumes: volumes } = await asked(engine.listVolumes({ filters }));
  const folders = await root.all("docker");
  return [
    ...containers.map(({ Id, Labels }) => ({
      mark: markOf(Labels),
      what: `container ${Id}`,
      remove: () => removeContainer(engine.getContainer(Id)),
    })),
    ...networks.map(({ Id, Labels }) => ({
      mark: markOf(Labels),
      what: `network ${Id}`,
      remove: () => gone(engine.getNetwork(Id).remove()),
    })),
    ...(volumes ?? []).map(({ Name, Labels }) => ({
      mark: markOf(Labels),
      what: `volume ${Name}`,
      remove: () => gone(engine.getVolume(Name).remove()),
    })),
    ...folders.map(({ path, mark }) => ({ mark, what: `folder ${path}`, remove: () => removeFolder(path) })),
  ];
}
