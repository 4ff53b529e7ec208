import { open, rm, stat } from "node:fs/promises";
import { filesText, roundedSize } from "@ci/kit/bytes/size-text";
import type { Copies } from "@ci/runner/caches/copies";
import type { Driver, Environment } from "@ci/runner/driver";
import { packSource } from "./pack-source.js";
import type { LocalSource } from "./source.js";

export interface SourceJob {
  readonly source: LocalSource;
  /** Id of the job that would clone the repository. */
  readonly jobId: number;
  readonly directory: string;
  readonly maxBytes: number;
  /** Holds the archive until it is placed, or until the next run begins. */
  readonly copies: Pick<Copies, "part">;
}

async function place({ trees }: Environment, job: SourceJob, signal: AbortSignal): Promise<string> {
  const { source, directory, maxBytes, copies } = job;
  const archive = copies.part();
  try {
    const { files, bytes } = await packSource(source, archive, { folder: trees.nameOf(directory), maxBytes, signal });
    const file = await open(archive);
    try {
      await trees.place(file, (await stat(archive)).size, signal);
    } finally {
      await file.close();
    }
    return `Copied ${source.root} => ${directory}: ${filesText(files)}, ${roundedSize(bytes)}\n`;
  } finally {
    await rm(archive, { force: true });
  }
}

/** Returns a driver that copies the local folder instead of cloning the repository. */
export const withLocalSource = (driver: Driver, job: SourceJob): Driver => ({
  ...driver,
  environment(order) {
    const environment = driver.environment({ ...order, jobs: order.jobs.filter(({ id }) => id !== job.jobId) });
    return {
      ...environment,
      async run(one, onOutput, signal) {
        if (one.id !== job.jobId) return environment.run(one, onOutput, signal);
        await onOutput(Buffer.from(await place(environment, job, signal)));
        return 0;
      },
      [Symbol.asyncDispose]: () => environment[Symbol.asyncDispose](),
    };
  },
});
