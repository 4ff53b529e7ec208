import type Docker from "dockerode";
import type { Leftover, Mark } from "../../driver.js";
import { removeFolder } from "../os/files.js";
import type { WorkRoot } from "../work-root.js";
import { engineCall, ignoreNotFound } from "./engine.js";
import type { Networks } from "./networks.js";
import { removeContainer } from "./remove.js";

type Labels = Readonly<Record<string, string>>;

export const labelsOf = (runner: string, { installation, buildId, epoch }: Mark): Labels => ({
  "ci.runner": runner,
  ...(installation === undefined ? {} : { "ci.installation": installation }),
  "ci.build": String(buildId),
  "ci.epoch": String(epoch),
});

const markOf = (labels: Labels | null | undefined): Mark => ({
  installation: labels?.["ci.installation"],
  buildId: Number(labels?.["ci.build"]),
  epoch: Number(labels?.["ci.epoch"]),
});

/** Without an installation label nothing says who owns a thing: it is left over when older than any build. */
const maxBuildMs = 24 * 3_600_000;

interface Made {
  readonly labels: Labels | null | undefined;
  readonly at: number;
}

const isOurs = ({ labels, at }: Made, now: number) =>
  labels?.["ci.installation"] !== undefined || now - at > maxBuildMs;

type Found = Made & Leftover;

/** Returns networks with the builds that use them, not those that wait. One that is used otherwise by then is not removed. */
function leftNetworks(
  engine: Docker,
  found: readonly Docker.NetworkInspectInfo[],
  userOf: Networks["userOf"],
): Found[] {
  return found.flatMap(({ Id, Name, Labels: labels, Created }) => {
    const labelled = markOf(labels);
    const mark = userOf(Name, labelled);
    const remove = async () => {
      if (userOf(Name, labelled) === mark) await ignoreNotFound(engine.getNetwork(Id).remove());
    };
    return mark ? [{ labels, mark, at: Date.parse(Created), what: `network ${Id}`, remove }] : [];
  });
}

/** Returns everything with this runner's label, containers first because they hold the rest. */
export async function findLeftovers(
  engine: Docker,
  runner: string,
  root: WorkRoot,
  now = Date.now(),
  userOf: Networks["userOf"] = (_network, labelled) => labelled,
): Promise<Leftover[]> {
  const filters = { label: [`ci.runner=${runner}`] };
  const containers = await engineCall(engine.listContainers({ all: true, filters }));
  const networks = await engineCall(engine.listNetworks({ filters }));
  const { Volumes: volumes } = await engineCall(engine.listVolumes({ filters }));
  const folders = await root.all("docker");
  const all: Found[] = [
    ...containers.map(({ Id, Labels: labels, Created }) => ({
      ...{ labels, mark: markOf(labels), at: Created * 1_000, what: `container ${Id}` },
      remove: () => removeContainer(engine.getContainer(Id)),
    })),
    ...leftNetworks(engine, networks, userOf),
    ...(volumes ?? []).map(({ Name, Labels: labels, ...volume }) => ({
      ...{ labels, mark: markOf(labels), what: `volume ${Name}` },
      at: Date.parse((volume as { CreatedAt?: string }).CreatedAt ?? ""),
      remove: () => ignoreNotFound(engine.getVolume(Name).remove()),
    })),
  ];
  return [
    ...all.filter((one) => isOurs(one, now)).map(({ mark, what, remove }) => ({ mark, what, remove })),
    ...folders.map(({ path, mark }) => ({ mark, what: `folder ${path}`, remove: () => removeFolder(path) })),
  ];
}
