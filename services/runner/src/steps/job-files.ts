import { abortable } from "@ci/kit/bytes/chunked";
import type { Environment, Job } from "../driver.js";
import { raceAbort } from "../endings/ended.js";

interface Reading {
  /** Ends what the environment does, and maybe the environment. */
  readonly signal: AbortSignal;
  /** Ends only the wait for it: jobs may still run there. */
  readonly during: AbortSignal;
}

/** The files that a job sees. */
export const filesOf = (
  environment: Environment,
  job: Job,
  { signal, during }: Reading,
): Pick<Environment, "list" | "open"> => ({
  list: (directory, depth) => abortable(during, environment.list(directory, depth, signal, job)),
  async open(path) {
    const opening = environment.open(path, signal, job);
    const file = await raceAbort(during, opening).catch((error) => {
      opening.then(({ close }) => close()).catch(() => undefined);
      throw error;
    });
    const content = abortable(during, file.content);
    return { ...file, content, close: () => raceAbort(during, file.close()) };
  },
});
