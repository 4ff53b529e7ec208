import type Docker from "dockerode";
import type { Job, Mark } from "../../../driver.js";
import { variablesOf } from "../../variables.js";
import { existsIn } from "../files/archive.js";
import type { PlanOfJob } from "../job-containers.js";
import type { Launch } from "../run-container.js";
import type { Begin } from "../started-work.js";
import type { Surroundings } from "../surroundings.js";
import { handedOver } from "./hand-over.js";
import type { Spare, SpareKind } from "./spare.js";
import type { Spares } from "./spares.js";

interface OwnSpareOptions {
  readonly spares: Spares;
  readonly mark: Mark;
  readonly plan: (job: Job, network: string) => PlanOfJob;
  readonly first: Job;
  /** The jobs need nothing that a waiting container lacks. */
  readonly isPlain: boolean;
  readonly around: Surroundings;
  readonly containers: { adopt(job: Job, container: Docker.Container): void };
  readonly begin: Begin;
}

/** Lets the first job of a build run in a container that was started before the build came. */
export function ownSpare({ spares, mark, plan, first, isPlain, around, containers, begin }: OwnSpareOptions) {
  const kind = (): SpareKind => plan(first, "");
  const { order } = kind();
  const text = isPlain ? handedOver(first.script, variablesOf(order, first, order.workspace)) : undefined;
  let spare: Spare | undefined;

  async function take(): Promise<void> {
    spare = await spares.take(kind(), mark);
    if (!spare) return void (await around.make());
    containers.adopt(first, spare.container);
    await around.adopt(spare);
  }

  return {
    mayServe: text !== undefined && spares.mayServe(order.workspace),
    /** Takes a container that waits. Without one, makes the surroundings of a new one. */
    take: (): Promise<void> => begin(take),
    /** Returns how a job starts in this container; undefined for the usual way. */
    launch(container: Docker.Container): Launch | undefined {
      if (!spare || spare.container !== container) return undefined;
      const { output, run } = spare;
      const { script: path } = kind();
      return { open: async () => output, start: () => run(text!), wasTaken: () => existsIn(container, path) };
    },
    /** Lets containers wait for the next builds when the first job has started. */
    started(job: Job): void {
      if (text !== undefined && job.id === first.id) spares.prepare(kind());
    },
    ended(): void {
      if (spare) spares.ended(spare);
    },
  };
}
