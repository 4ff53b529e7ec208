import { quoted } from "@ci/kit/rpc/fault";
import type { Complaints } from "./complaints.js";
import { controls, type Placed } from "./spec.js";

/** The stage of a job whose manifest has no list of stages. */
const defaultStage = "build";

/** The keys of a manifest that name stages. */
const namingKeys = ["allow_failures", "parallel"] as const;

function checkName({ at, value }: Placed<string>, complain: Complaints): void {
  if (value === "") complain.addAt(at, "a stage must have a name");
  if (controls.test(value)) complain.addAt(at, "the name of a stage cannot have control characters");
}

/** A job at its place. `stage` is undefined after a complaint about its type. */
type Staged = Placed<{ readonly stage: { readonly at?: number; readonly value: string } | undefined }>;

/**
 * Returns the stages in order, and the stage of each job. Without a list of stages these are the jobs' own. Complains
 * about jobs and keys that name no stage.
 */
export function stagesOf(
  listed: readonly Placed<string>[],
  jobs: readonly Staged[],
  others: Partial<Record<(typeof namingKeys)[number], readonly Placed<string>[] | undefined>>,
  complain: Complaints,
): { stages: readonly string[]; stageOf(job: Staged): string } {
  const isListed = listed.length > 0;
  const stageOf = ({ value: { stage } }: Staged) => (isListed || stage?.value ? (stage?.value ?? "") : defaultStage);
  const stages = [...new Set(isListed ? listed.map(({ value }) => value) : jobs.map(stageOf))];
  const named = jobs.flatMap(({ at, value: { stage } }) =>
    stage?.value ? [{ at: stage.at ?? at, value: stage.value }] : [],
  );
  for (const one of isListed ? listed : named) checkName(one, complain);
  const known = new Set(stages);
  const names = quoted(stages.join(", "));
  for (const job of jobs) {
    const { at, value } = job;
    if (value.stage === undefined || known.has(stageOf(job))) continue;
    if (value.stage.value === "") complain.addAt(at, `a job has no stage; the stages are: ${names}`, "line");
    else {
      const stage = quoted(value.stage.value);
      complain.addAt(value.stage.at ?? at, `stage "${stage}" is not one of the stages: ${names}`, "line");
    }
  }
  const complaint =
    stages.length > 0 ? `is not one of the stages: ${names}` : "is not a stage: the manifest has no jobs";
  for (const key of namingKeys)
    for (const { at, value } of others[key] ?? [])
      if (!known.has(value)) complain.addAt(at, `${key}: "${quoted(value)}" ${complaint}`, "line");
  return { stages, stageOf };
}
