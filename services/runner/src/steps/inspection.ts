import type { Assignment } from "@ci/proto/builds/v1/queue";
import type { Environment } from "../driver.js";
import { never } from "../endings/build-time.js";
import { type Collecting, collectArtifacts } from "./artifacts.js";

const minuteMs = 60_000;

const listNothing = async function* () {};

interface Inspecting extends Omit<Collecting, "environment"> {
  readonly draining?: AbortSignal | undefined;
  readonly recordVerdict: () => Promise<void>;
}

/** Keeps a failed build's environment as asked; its disk then becomes the first job's artifact. */
export async function inspectFailed(
  { driver, jobs }: Pick<Assignment, "driver" | "jobs">,
  { inspection }: Pick<Environment, "inspection">,
  { draining = never, recordVerdict, ...on }: Inspecting,
): Promise<void> {
  const minutes = driver?.keepOnFailureMinutes ?? 0;
  if (!inspection || minutes === 0) return;
  await recordVerdict();
  await inspection.stay(minutes * minuteMs, on.say, on.signal, draining);
  const open = () => inspection.disk(on.limitBytes, on.signal);
  await collectArtifacts(jobs[0]!.artifacts, { ...on, environment: { list: listNothing, open } });
}
