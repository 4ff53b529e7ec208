import type Docker from "dockerode";
import type { Job } from "../../driver.js";
import { putFiles } from "./archive.js";
import { type ContainerPlan, containerOf, isArgument } from "./container.js";
import { engineCall } from "./engine.js";
import type { Quotas } from "./quotas.js";
import type { SharedVolumes } from "./shared-volumes.js";
import { inMemory, type SpooledFile } from "./spool.js";

/** Tracks started work. Disposal waits for it: the engine may create something after it was told to remove it. */
export function startedWork() {
  const started: Promise<unknown>[] = [];
  let over = false;
  return {
    async begin<T>(work: () => Promise<T>): Promise<T> {
      if (over) throw new Error("the environment has been removed");
      const doing = work();
      started.push(doing.catch(() => undefined));
      return doing;
    },
    async end(): Promise<void> {
      over = true;
      await Promise.all(started);
    },
  };
}

/** What is planned before the engine has shown which volumes it can mount. */
export type PlanOfJob = Omit<ContainerPlan, "shared">;

interface ContainersOptions {
  readonly engine: Docker;
  readonly quotas: Quotas;
  readonly begin: ReturnType<typeof startedWork>["begin"];
  readonly plan: (job: Job, network: string) => PlanOfJob;
  readonly shared: Pick<SharedVolumes, "fitting">;
  /** Resolves with the network when the volume exists: a container made earlier would create one without labels. */
  readonly chosen: () => Promise<string>;
}

/** A container that was made early serves the first attempt. */
const keyOf = ({ id, attempt = 1 }: Job): string => `${id}/${attempt}`;

export function jobContainers({ engine, quotas, begin, plan, shared, chosen }: ContainersOptions) {
  const all: Docker.Container[] = [];
  const filled = new Map<string, Promise<Docker.Container>>();
  /** Files outside the workspace, which every container needs. */
  const everywhere: SpooledFile[] = [];

  async function fill(job: Job): Promise<Docker.Container> {
    const planned = plan(job, await chosen());
    const container = await shared.fitting(async (volumes) => {
      const options = containerOf({ ...planned, shared: volumes });
      const created = await engineCall(quotas.container(engine, options, planned.limits.diskBytes));
      all.push(created);
      return created;
    });
    const script = isArgument(job) ? [] : [inMemory(planned.script, 0o700, job.script)];
    const files = [...everywhere, ...script];
    if (files.length > 0) await putFiles(container, files);
    return container;
  }

  return {
    all,
    /** The first attempt of this job has a container that was made before the build. */
    adopt(job: Job, container: Docker.Container): void {
      all.push(container);
      filled.set(keyOf(job), Promise.resolve(container));
    },
    putEverywhere: (file: SpooledFile) => void everywhere.push(file),
    filledFor(job: Job): Promise<Docker.Container> {
      const key = keyOf(job);
      const existing = filled.get(key);
      if (existing) return existing;
      const made = begin(() => fill(job));
      filled.set(key, made);
      return made;
    },
  };
}
