import type Docker from "dockerode";
import { isSameMark, type Leftover, type Mark } from "../../driver.js";
import { removeFolder } from "../os/files.js";
import type { WorkRoot } from "../work-root.js";
import { spareLabel } from "./container.js";
import { engineCall, ignoreNotFound } from "./engine.js";
import type { Networks } from "./network/networks.js";
import { persistently, removeContainer } from "./remove.js";
import type { Spares } from "./spares/spares.js";

type Labels = Readonly<Record<string, string>>;

export const labelsOf = (runner: string, { installation, buildId, epoch }: Mark): Labels => ({
  "ci.runner": runner,
  ...(installation === undefined ? {} : { "ci.installation": installation }),
  "ci.build": String(buildId),
  "ci.epoch": String(epoch),
});

const markOf = (labels: Labels | null | undefined): Mark => ({
  installation: labels?.["ci.installation"] || undefined,
  buildId: Number(labels?.["ci.build"]),
  epoch: Number(labels?.["ci.epoch"]),
});

/** Without an installation label nothing says who owns a thing: it is left over when older than any build. */
const maxBuildMs = 24 * 3_600_000;

interface Made {
  readonly labels: Labels | null | undefined;
  readonly at: number;
  readonly what: string;
  readonly mayRun?: boolean;
  /** Returns the build that uses it; undefined if it waits for one. */
  owner(labelled: Mark): Mark | undefined;
  remove(): Promise<void>;
}

const isOurs = ({ labels, at }: Made, now: number) => Boolean(labels?.["ci.installation"]) || now - at > maxBuildMs;

/** What waits for a build is no leftover. If the owner changes before the removal, nothing is removed. */
function leftover({ labels, what, mayRun, owner, remove }: Made): Leftover[] {
  const labelled = markOf(labels);
  const mark = owner(labelled);
  if (!mark) return [];
  const removeUnused = async () => {
    const current = owner(labelled);
    if (current && isSameMark(current, mark)) await remove();
  };
  return [{ mark, what, mayRun, remove: removeUnused }];
}

/** Looks up which builds use networks and containers that waited. */
interface Owners {
  readonly network: Networks["userOf"];
  readonly spare: Spares["userOf"];
}

const asLabelled: Owners = { network: (_name, labelled) => labelled, spare: (_name, labelled) => labelled };

interface Looking {
  readonly engine: Docker;
  /** The runner's name. */
  readonly runner: string;
  readonly root: WorkRoot;
  /** Without it, the labels say which builds use what. */
  readonly owners?: Owners;
  readonly now?: number;
}

/** Returns everything with this runner's label, containers first because they hold the rest. */
export async function findLeftovers({ engine, runner, root, ...more }: Looking): Promise<Leftover[]> {
  const { owners = asLabelled, now = Date.now() } = more;
  const filters = { label: [`ci.runner=${runner}`] };
  const containers = await engineCall(engine.listContainers({ all: true, filters }));
  const networks = await engineCall(engine.listNetworks({ filters }));
  const { Volumes: volumes } = await engineCall(engine.listVolumes({ filters }));
  const folders = await root.all("docker");
  const ownerOf = (labels: Labels | null) => (labelled: Mark) =>
    owners.spare(labels?.[spareLabel] || undefined, labelled);
  const all: Made[] = [
    ...containers.map(({ Id, Labels: labels, Created }) => ({
      labels,
      owner: ownerOf(labels),
      at: Created * 1_000,
      what: `container ${Id}`,
      mayRun: true,
      remove: () => persistently(() => removeContainer(engine.getContainer(Id))),
    })),
    ...networks.map(({ Id, Name, Labels: labels, Created }) => ({
      labels,
      owner: (labelled: Mark) => owners.network(Name, labelled),
      at: Date.parse(Created),
      what: `network ${Id}`,
      remove: () => ignoreNotFound(engine.getNetwork(Id).remove()),
    })),
    ...(volumes ?? []).map(({ Name, Labels: labels, ...volume }) => ({
      labels,
      owner: ownerOf(labels),
      what: `volume ${Name}`,
      at: Date.parse((volume as { CreatedAt?: string }).CreatedAt ?? ""),
      remove: () => ignoreNotFound(engine.getVolume(Name).remove()),
    })),
  ];
  return [
    ...all.filter((one) => isOurs(one, now)).flatMap(leftover),
    ...folders.map(({ path, mark }) => ({ mark, what: `folder ${path}`, remove: () => removeFolder(path) })),
  ];
}
