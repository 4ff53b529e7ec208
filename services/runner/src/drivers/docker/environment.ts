import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { sizeText } from "@ci/kit/bytes/size-text";
import type { Log } from "@ci/kit/process/log";
import { Fault } from "@ci/kit/rpc/fault";
import type Docker from "dockerode";
import type { Environment, Job, Order } from "../../driver.js";
import { never } from "../../endings/build-time.js";
import { raceAbort } from "../../endings/ended.js";
import { memoryLine } from "../../endings/last-line.js";
import { loginsOf } from "../registry/logins.js";
import { isTooLarge, tooLargeLine, variablesOf } from "../variables.js";
import type { WorkRoot } from "../work-root.js";
import { buildServices } from "./build-services.js";
import type { ContainerPlan } from "./container.js";
import { watchedOf } from "./deaths.js";
import type { Quotas } from "./disk/quotas.js";
import { refusedWith } from "./engine.js";
import { listArchive, openArchived, putArchive } from "./files/archive.js";
import { placedFiles } from "./files/placed-files.js";
import { type SharedVolumes, sharedVolumes } from "./files/shared-volumes.js";
import { dockerTrees } from "./files/trees.js";
import { type Images, usableImage } from "./images/image.js";
import type { LocalImage } from "./images/local-image.js";
import { jobContainers, type PlanOfJob } from "./job-containers.js";
import { bridgeName } from "./network/network.js";
import type { Networks } from "./network/networks.js";
import { jobsAfter, ranContainers } from "./ran-containers.js";
import { removeAll, removeContainer } from "./remove.js";
import { ranOutOfMemory, runContainer } from "./run-container.js";
import { ownSpare } from "./spares/own-spare.js";
import type { Spares } from "./spares/spares.js";
import { startedWork } from "./started-work.js";
import { surroundings } from "./surroundings.js";

export interface EnvironmentOptions {
  readonly engine: Docker;
  readonly images: Images;
  readonly quotas: Quotas;
  readonly networks: Networks;
  readonly spares: Spares;
  /** Where programs are found. */
  readonly path: string;
  /** The runner's name. */
  readonly runner: string;
  readonly root: WorkRoot;
  readonly labels: ContainerPlan["labels"];
  readonly limits: ContainerPlan["limits"];
  readonly serviceReadyMs: number;
  readonly log: Log;
}

const sshFolder = "/root/.ssh";
/** After that the sweep removes what is left. Until then the build is not given back: its container may still run. */
const removalTimeoutMs = 60_000;
/** A runner that stops does not wait for its engine. */
const inTime = (work: (mayWait: () => boolean) => Promise<void>, lost = never): Promise<void> => {
  const until = AbortSignal.timeout(removalTimeoutMs);
  return raceAbort(
    until,
    work(() => !until.aborted && !lost.aborted),
  );
};

/** The script never lies in the workspace, and never is the workspace. */
const scriptPath = (workspace: string) => (workspace === "/.ci-script" ? "/.ci-script.sh" : "/.ci-script");

interface AfterRunOptions {
  readonly order: Order;
  /** The container of a job, or of the last one; undefined before it has run. */
  readonly ran: (job?: Job) => Docker.Container | undefined;
  readonly first: () => Promise<Docker.Container>;
  readonly workspace: string;
  readonly shared: SharedVolumes;
  readonly limits: Pick<ContainerPlan["limits"], "memoryBytes" | "diskBytes">;
}

/** What a build and its things at the engine are called. */
function namesOf({ mark, ...order }: Order, runner: string) {
  const workspace = posix.resolve("/", order.workspace);
  const random = randomBytes(4).toString("hex");
  const name = `ci-${mark.buildId}-${mark.epoch}-${random}`;
  const shared = sharedVolumes(name, { ...order, workspace });
  const volumes = [name, ...shared.names];
  return { workspace, name, bridge: bridgeName(runner, random), script: scriptPath(workspace), shared, volumes };
}

type AfterRun = Required<Pick<Environment, "explain" | "list" | "open" | "trees">>;

/** What can be asked about a job's container. */
const afterRun = ({ order, ran, first, workspace, shared, limits }: AfterRunOptions): AfterRun => ({
  async explain(_exitCode, signal, job) {
    const variables = job && variablesOf(order, job, workspace);
    if (variables && isTooLarge(variables)) return tooLargeLine(variables);
    const container = ran(job);
    const isOut = container !== undefined && (await raceAbort(signal, ranOutOfMemory(container)));
    return isOut ? memoryLine(sizeText(limits.memoryBytes), "DOCKER_MEMORY") : undefined;
  },
  async *list(directory, depth, signal, job) {
    const container = ran(job) ?? (await raceAbort(signal, first()));
    const listing = { directory: posix.resolve(workspace, directory), depth, maxBytes: limits.diskBytes };
    yield* listArchive(container, listing, signal);
  },
  async open(path, signal, job) {
    const container = ran(job) ?? (await raceAbort(signal, first()));
    return raceAbort(signal, openArchived(container, posix.resolve(workspace, path), signal));
  },
  trees: dockerTrees({ workspace, shared }, async () => ran() ?? first()),
});

const cannotRunImage = ({ image, workspace }: Order) =>
  refusedWith(
    `The container engine cannot run image ${image} with the workspace ${workspace}; the runner's log says why`,
  );

const pullOf = ({ pullAlways, pullIfNotPresent }: Order) => {
  if (pullAlways) return "always";
  return pullIfNotPresent ? "if-not-present" : "if-it-moves";
};

/** Runs a build in one container per job. Each is filled while something else runs, because the engine is slow. */
export function dockerEnvironment(order: Order, options: EnvironmentOptions): Environment {
  const { engine, images, quotas, networks, path, runner, root, labels, limits, log } = options;
  const { serviceReadyMs: readyMs } = options;
  const { mark, jobs, services: planned = [] } = order;
  const cannotRun = cannotRunImage(order);
  const { workspace, name, bridge, script, shared, volumes } = namesOf(order, runner);
  let image: LocalImage = { id: "", labels: {} };
  const { begin, end } = startedWork();
  const network = { name, bridge, labels };
  const around = surroundings({ engine, quotas, networks, path, volumes, network, mark, limits, log, begin });
  const atWorkspace = { ...order, workspace };
  const plan = (job: Job, network: string): PlanOfJob => {
    const volume = around.volumes()[0]!;
    return { order: atWorkspace, job, imageId: image.id, script, network, volume, labels, limits };
  };
  const made = jobContainers({ quotas, begin, plan, shared, chosen: around.chosen });
  const { all: containers, filledFor, putEverywhere } = made;
  const ran = ranContainers((container) => void begin(() => removeContainer(container)).catch(() => undefined));
  const services = buildServices({ quotas, labels, limits, begin, around, services: planned, readyMs });
  const first = jobs[0] ?? { id: 0, script: "" };
  const isPlain = jobs.length > 0 && shared.names.length === 0 && planned.length === 0;
  const own = ownSpare({ spares: options.spares, mark, plan, first, isPlain, around, containers: made, begin });

  const firstContainer = () => filledFor(first);
  const makeFolder = () => root.make("docker", mark);
  const files = placedFiles({ workspace, shared, putEverywhere, begin, makeFolder, container: firstContainer });

  async function remove(mayWait: () => boolean): Promise<void> {
    await end();
    around[Symbol.dispose]();
    const all = [...containers, ...services.containers()];
    const allVolumes = around.volumes().map((volume) => engine.getVolume(volume));
    const gone = removeAll({ containers: all, network: around.leaveNetwork, volumes: allVolumes, mayWait });
    await Promise.all([gone.finally(own.ended), files.remove()]);
  }

  return {
    sshFolder,
    async prepare(say, signal) {
      if (!posix.isAbsolute(order.workspace)) throw new Fault("invalid", "The workspace must be an absolute path");
      const ready = own.mayServe ? undefined : around.make();
      ready?.catch(() => undefined);
      const logins = loginsOf(order.logins);
      const usable = (image: string) => usableImage(images, { image, pull: pullOf(order), logins, say, signal });
      image = await raceAbort(signal, usable(order.image));
      say(`Using image ${order.image} (${image.id})`);
      if (!ready) await raceAbort(signal, own.take());
      await raceAbort(signal, Promise.all([ready, firstContainer().catch(cannotRun)]));
      await services.start(async (image) => (await usable(image)).id, say, signal);
    },
    put: files.put,
    async run(job, onOutput, signal) {
      const container = await raceAbort(signal, filledFor(job).catch(cannotRun));
      ran.add({ job, container });
      for (const next of jobsAfter(jobs, job)) filledFor(next).catch(() => undefined);
      const onStart = () => {
        ran.removeOlder(job, container);
        own.started(job);
      };
      const ending = { signal: around.within(container, signal, job.beside), stop: job.stop };
      const watched = watchedOf(image, around.watched(container));
      const on = { ...ending, watched, launch: own.launch(container), onOutput, onStart };
      return runContainer(container, on).catch(cannotRun);
    },
    unpack: (archive, signal) => raceAbort(signal, putArchive(ran.of(undefined)!, archive, workspace, signal)),
    serviceOutput: services.output,
    ...afterRun({ order, ran: ran.of, first: firstContainer, workspace, shared, limits }),
    async [Symbol.asyncDispose]() {
      await inTime(remove, order.lost).catch((error) =>
        log.warn({ err: error, ...mark }, "environment not removed; the next sweep will retry it"),
      );
    },
  };
}
