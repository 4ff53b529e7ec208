import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import type { Log } from "@ci/kit/process/log";
import { Fault } from "@ci/kit/rpc/fault";
import type Docker from "dockerode";
import type { Environment, Job, Order, PlacedFile } from "../../driver.js";
import { raceAbort } from "../../work/ended.js";
import { memoryLine } from "../../work/last-line.js";
import { sizeText } from "../../work/size-text.js";
import { removeFolder } from "../os/files.js";
import type { WorkRoot } from "../work-root.js";
import { listArchive, openArchived, putFiles } from "./archive.js";
import type { ContainerPlan } from "./container.js";
import { refusedWith } from "./engine.js";
import { type ImageRules, usableImage } from "./image.js";
import { jobContainers, startedWork } from "./job-containers.js";
import { bridgeName } from "./network.js";
import type { Quotas } from "./quotas.js";
import { removeAll, removeContainer } from "./remove.js";
import { ranOutOfMemory, runContainer } from "./run-container.js";
import { spool } from "./spool.js";
import { surroundings } from "./surroundings.js";

export interface EnvironmentOptions {
  readonly engine: Docker;
  readonly images: ImageRules;
  readonly quotas: Quotas;
  /** Where programs are found. */
  readonly path: string;
  /** The runner's name. */
  readonly runner: string;
  readonly root: WorkRoot;
  readonly labels: ContainerPlan["labels"];
  readonly limits: ContainerPlan["limits"];
  readonly log: Log;
}

const sshFolder = "/root/.ssh";
/** Further containers are made when their jobs begin. */
const maxFilledEarly = 7;
/** After that the sweep removes what is left. */
const removalTimeoutMs = 60_000;
/** The script never lies in the workspace, and never is the workspace. */
const scriptPath = (workspace: string) => (workspace === "/.ci-script" ? "/.ci-script.sh" : "/.ci-script");

interface AfterRunOptions {
  readonly containerOf: (job: Job | undefined) => Docker.Container;
  readonly workspace: string;
  readonly memoryBytes: number;
}

/** What can be asked about a job's container. */
const afterRun = ({
  containerOf,
  workspace,
  memoryBytes,
}: AfterRunOptions): Required<Pick<Environment, "explain" | "list" | "open">> => ({
  explain: async (_exitCode, signal, job) =>
    (await raceAbort(signal, ranOutOfMemory(containerOf(job))))
      ? memoryLine(sizeText(memoryBytes), "DOCKER_MEMORY")
      : undefined,
  list: (directory, depth, signal, job) =>
    listArchive(containerOf(job), posix.resolve(workspace, directory), depth, signal),
  open: (path, signal, job) =>
    raceAbort(signal, openArchived(containerOf(job), posix.resolve(workspace, path), signal)),
});

/** Runs a build in one container per job. Each is filled while something else runs, because the engine is slow. */
export function dockerEnvironment(order: Order, options: EnvironmentOptions): Environment {
  const { engine, images, quotas, path, runner, root, labels, limits, log } = options;
  const { mark, jobs } = order;
  const workspace = posix.resolve("/", order.workspace);
  const random = randomBytes(4).toString("hex");
  const name = `ci-${mark.buildId}-${mark.epoch}-${random}`;
  const bridge = bridgeName(runner, random);
  const script = scriptPath(workspace);
  let imageId = "";
  let folder: Promise<string> | undefined;
  /** What has run and was not removed, oldest first. */
  let ran: { readonly job: Job; readonly container: Docker.Container }[] = [];
  const { begin, end } = startedWork();
  const around = surroundings({ engine, quotas, path, name, bridge, labels, limits, log, begin });
  const plan = (): ContainerPlan => ({ order: { ...order, workspace }, imageId, script, name, labels, limits });
  const made = jobContainers({ engine, quotas, begin, plan, volume: around.volume });
  const { all: containers, filledFor, putEverywhere } = made;

  const cannotRun = refusedWith(
    `The container engine cannot run image ${order.image} with the workspace ${order.workspace}; the runner's log says why`,
  );
  const first = (): Job => jobs[0] ?? { id: 0, script: "" };

  async function put(file: PlacedFile, signal: AbortSignal): Promise<void> {
    folder ??= root.make("docker", mark);
    const path = posix.resolve(workspace, file.path);
    const spooled = await spool(await folder, { ...file, path }, signal);
    await putFiles(await filledFor(first()), [spooled]);
    if (path.startsWith(`${workspace}/`)) await spooled.drop();
    else putEverywhere(spooled);
  }

  /** Returns the next job, or all of its parallel stage. */
  function jobsAfter({ id }: Job): readonly Job[] {
    const [next, ...later] = jobs.slice(jobs.findIndex((one) => one.id === id) + 1);
    if (next?.beside === undefined) return next ? [next] : [];
    const end = later.findIndex(({ beside }) => beside !== next.beside);
    return [next, ...later.slice(0, end < 0 ? maxFilledEarly : Math.min(end, maxFilledEarly))];
  }

  function containerOf(job: Job | undefined): Docker.Container {
    const found = ran.findLast((one) => job === undefined || one.job.id === job.id);
    if (!found) throw new Error("no such job has run");
    return found.container;
  }

  /** Removes the containers of jobs and attempts that are over when this job starts. */
  function removeOlder(started: Job, own: Docker.Container): void {
    const isBeside = ({ job, container }: (typeof ran)[number]) =>
      container === own || (job.beside !== undefined && job.beside === started.beside && job.id !== started.id);
    const over = ran.filter((one) => !isBeside(one));
    ran = ran.filter(isBeside);
    for (const { container } of over) begin(() => removeContainer(container)).catch(() => undefined);
  }

  async function remove(): Promise<void> {
    await end();
    around[Symbol.dispose]();
    const what = { containers, network: engine.getNetwork(name), volume: engine.getVolume(name) };
    await Promise.all([removeAll(what), folder?.then(removeFolder)]);
  }

  return {
    sshFolder,
    async prepare(say, signal) {
      if (!posix.isAbsolute(order.workspace)) throw new Fault("invalid", "The workspace must be an absolute path");
      const ready = around.make();
      ready.catch(() => undefined);
      imageId = await raceAbort(signal, usableImage(engine, order, images, say, signal));
      say(`Using image ${order.image} (${imageId})`);
      await raceAbort(signal, Promise.all([ready, filledFor(first()).catch(cannotRun)]));
    },
    put: (file, signal) =>
      raceAbort(
        signal,
        begin(() => put(file, signal)),
      ),
    async run(job, onOutput, signal) {
      const container = await raceAbort(signal, filledFor(job).catch(cannotRun));
      ran.push({ job, container });
      for (const next of jobsAfter(job)) filledFor(next).catch(() => undefined);
      const died = around.death(container);
      const onStart = () => removeOlder(job, container);
      const within = around.within(container, signal, job.beside);
      return runContainer(container, { onOutput, signal: within, died, onStart, stop: job.stop }).catch(cannotRun);
    },
    ...afterRun({ containerOf, workspace, memoryBytes: limits.memoryBytes }),
    async [Symbol.asyncDispose]() {
      await raceAbort(AbortSignal.timeout(removalTimeoutMs), remove()).catch((error) =>
        log.warn({ err: error, ...mark }, "environment not removed; the next sweep will retry it"),
      );
    },
  };
}
