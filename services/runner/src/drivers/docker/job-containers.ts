import type { Container } from "dockerode";
import type { Job } from "../../driver.js";
import { type ContainerPlan, containerOf, isArgument } from "./container.js";
import type { Quotas } from "./disk/quotas.js";
import { putFiles } from "./files/archive.js";
import type { SharedVolumes } from "./files/shared-volumes.js";
import { inMemory, type SpooledFile } from "./files/spool.js";
import type { Begin } from "./started-work.js";

/** What is planned before the engine has shown which volumes it can mount. */
export type PlanOfJob = Omit<ContainerPlan, "shared">;

interface ContainersOptions {
  readonly quotas: Quotas;
  readonly begin: Begin;
  readonly plan: (job: Job, network: string) => PlanOfJob;
  readonly shared: Pick<SharedVolumes, "fitting">;
  /** Resolves with the network when the volume exists: a container made earlier would create one without labels. */
  readonly chosen: () => Promise<string>;
}

/** A container that was made early serves the first attempt. */
const keyOf = ({ id, attempt = 1 }: Job): string => `${id}/${attempt}`;

export function jobContainers({ quotas, begin, plan, shared, chosen }: ContainersOptions) {
  const all: Container[] = [];
  const filled = new Map<string, Promise<Container>>();
  /** Files outside the workspace, which every container needs. */
  const everywhere: SpooledFile[] = [];

  async function fill(job: Job): Promise<Container> {
    const planned = plan(job, await chosen());
    const container = await shared.fitting(async (volumes) => {
      const options = containerOf({ ...planned, shared: volumes });
      const created = await quotas.container(options, planned.limits.diskBytes);
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
    adopt(job: Job, container: Container): void {
      all.push(container);
      filled.set(keyOf(job), Promise.resolve(container));
    },
    putEverywhere: (file: SpooledFile) => void everywhere.push(file),
    filledFor(job: Job): Promise<Container> {
      const key = keyOf(job);
      const existing = filled.get(key);
      if (existing) return existing;
      const made = begin(() => fill(job));
      filled.set(key, made);
      return made;
    },
  };
}
