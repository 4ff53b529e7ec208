import type { Source } from "@ci/proto/builds/v1/queue";
import { isGlob } from "./manifest/entries.js";
import type { Manifest, ManifestJob } from "./manifest.js";

/** One job as a build is to run it. */
export interface PlannedJob {
  readonly stage: string;
  /** Unique within the build. */
  readonly name: string;
  readonly commands: readonly string[];
  readonly mayFail: boolean;
  /** What a clone job fetches; its commands follow from it. */
  readonly source?: Source;
  readonly artifacts: readonly PlannedArtifact[];
}

export interface PlannedArtifact {
  readonly source: string;
  /** Unique within the build; a glob stands in for the names of its matches. */
  readonly name: string;
  /** Of a glob: what a match will be called, with `*` for its base name. */
  readonly pattern?: string;
}

/** Gives out names besides those given already: one that is taken gets `-2`, `-3`, ... appended, the first number that is free. */
export function uniqueNames(given: readonly string[] = []): (name: string) => string {
  const taken = new Set(given);
  // Names are never given back, so the search goes on where it ended: many equal names take no longer than many names.
  const next = new Map<string, number>();
  return (name) => {
    let unique = name;
    let n = next.get(name) ?? 2;
    while (taken.has(unique)) unique = `${name}-${n++}`;
    next.set(name, n);
    taken.add(unique);
    return unique;
  };
}

/** A name as jobs have it: letters and digits of ASCII, dots and single dashes, in lower case. May be empty. */
function plain(name: string): string {
  const dashed = name.replace(/[^a-zA-Z0-9.]+/g, "-").replace(/^-|-$/g, "");
  return /^\.*$/.test(dashed) ? "" : dashed.toLowerCase();
}

/** The glob as a name that can stand in an address: without root and without steps up. */
const globName = (glob: string): string =>
  glob
    .split("/")
    .filter((element) => !["", ".", ".."].includes(element))
    .join("/");

function byStage(jobs: readonly ManifestJob[]): Map<string, ManifestJob[]> {
  const stages = new Map<string, ManifestJob[]>();
  for (const job of jobs) {
    const others = stages.get(job.stage);
    if (others) others.push(job);
    else stages.set(job.stage, [job]);
  }
  return stages;
}

/** The disk of a machine that is kept when its build fails: it belongs to the job that makes the machine, until one fails. */
const keptDisk = (unique: (name: string) => string): PlannedArtifact => ({
  source: "/dev/vda",
  name: unique("machine.qcow2"),
});

/** The jobs of a build in order of execution: preparing, cloning, then stage by stage. */
export function planJobs(manifest: Manifest, buildNumber: number): PlannedJob[] {
  const jobName = uniqueNames();
  const artifactName = uniqueNames();
  const setup = { stage: `setup - #${buildNumber}`, commands: [], mayFail: false, artifacts: [] };
  const jobsOf = byStage(manifest.jobs);
  const mayFail = new Set(manifest.allowFailures);
  const planned = (job: ManifestJob, index: number): PlannedJob => ({
    stage: job.stage,
    name: jobName(plain(job.name) || plain(`${job.stage}.${index + 1}`)),
    commands: job.commands,
    mayFail: mayFail.has(job.stage),
    artifacts: job.artifacts.map(({ source, name }) =>
      isGlob(source)
        ? { source, name: artifactName(globName(source)), pattern: name }
        : { source, name: artifactName(name) },
    ),
  });
  const kept = manifest.driver.keepOnFailureMinutes > 0;
  return [
    { ...setup, name: jobName("create-driver"), artifacts: kept ? [keptDisk(artifactName)] : [] },
    ...manifest.sources.map((source, index) => ({ ...setup, name: jobName(`clone.${index + 1}`), source })),
    ...manifest.stages.flatMap((stage) => (jobsOf.get(stage) ?? []).map(planned)),
  ];
}
