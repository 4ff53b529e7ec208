import { isGlob } from "@ci/manifest/glob";
import type { Manifest, ManifestJob } from "@ci/manifest/manifest";
import type { Step } from "./build.js";

export interface PlannedJob extends Step {
  readonly stage: string;
  readonly name: string;
  readonly mayFail: boolean;
  readonly artifacts: readonly PlannedArtifact[];
}

interface PlannedArtifact {
  readonly source: string;
  /** Unique within the build. The name of a glob is the glob itself. */
  readonly name: string;
  /** The name of each match of a glob, where `*` stands for its base name. */
  readonly pattern?: string;
}

/** Makes names unique: a name that is taken gets the first free suffix of `-2`, `-3`, ... */
export function uniqueNames(given: readonly string[] = []): (name: string) => string {
  const taken = new Set(given);
  // Names are never freed, so each search continues where the last one ended. Many equal names then take linear time.
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

/** Reduces a job name to ASCII letters, digits, dots and single dashes, in lower case. May be empty. */
function plain(name: string): string {
  const dashed = name.replace(/[^a-zA-Z0-9.]+/g, "-").replace(/^-|-$/g, "");
  return /^\.*$/.test(dashed) ? "" : dashed.toLowerCase();
}

/** Drops the elements "", "." and ".." of a path. */
const globName = (glob: string): string => glob.replace(/(^|\/)(?:\.{0,2}(?:\/|$))+/g, "$1").replace(/\/$/, "");

function byStage(jobs: readonly ManifestJob[]): Map<string, ManifestJob[]> {
  const stages = new Map<string, ManifestJob[]>();
  for (const job of jobs) {
    const others = stages.get(job.stage);
    if (others) others.push(job);
    else stages.set(job.stage, [job]);
  }
  return stages;
}

const keptDisk = (unique: (name: string) => string): PlannedArtifact => ({
  source: "/dev/vda",
  name: unique("machine.qcow2"),
});

export const setupStage = (buildNumber: number): string => `setup - #${buildNumber}`;

/** Returns the jobs of a build in order of execution: prepare, services, clone, then each stage. */
export function planJobs(manifest: Manifest, buildNumber: number): PlannedJob[] {
  const jobName = uniqueNames();
  const artifactName = uniqueNames();
  const setup = { stage: setupStage(buildNumber), commands: [], mayFail: false, artifacts: [] };
  const jobsOf = byStage(manifest.jobs);
  const mayFail = new Set(manifest.allowFailures);
  const parallel = new Set(manifest.parallel);
  const planned = (job: ManifestJob, index: number): PlannedJob => ({
    stage: job.stage,
    name: jobName(plain(job.name) || plain(`${job.stage}.${index + 1}`)),
    commands: job.commands,
    mayFail: mayFail.has(job.stage),
    timeoutMs: job.timeoutMs,
    retry: job.retry,
    ...(job.env.length > 0 ? { env: job.env } : {}),
    ...(job.shell === undefined ? {} : { shell: job.shell }),
    reports: job.reports.length > 0 ? job.reports : undefined,
    skipAfterSuccess: job.status && !job.status.includes("passed") ? true : undefined,
    runAfterFailure: job.status?.includes("failed") ? true : undefined,
    parallel: parallel.has(job.stage) ? true : undefined,
    artifacts: job.artifacts.map(({ source, name }) =>
      isGlob(source)
        ? { source, name: artifactName(globName(source)), pattern: name }
        : { source, name: artifactName(name) },
    ),
  });
  const kept = manifest.driver.keepOnFailureMinutes > 0;
  return [
    { ...setup, name: jobName("create-driver"), artifacts: kept ? [keptDisk(artifactName)] : [] },
    ...manifest.services.map(({ name: service }) => ({ ...setup, name: jobName(`service.${service}`), service })),
    ...manifest.sources.map((source, index) => ({ ...setup, name: jobName(`clone.${index + 1}`), source })),
    ...manifest.stages.flatMap((stage) => (jobsOf.get(stage) ?? []).map(planned)),
  ];
}
