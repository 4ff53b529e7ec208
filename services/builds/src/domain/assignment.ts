import type { Assignment } from "@ci/proto/builds/v1/queue";
import { type BuildDoc, commandsOf, type Step } from "./build.js";
import { mayStore } from "./cache.js";
import { factsOf } from "./facts.js";

export interface Limits {
  readonly buildTimeoutMs: number;
  readonly prepareTimeoutMs: number;
  readonly outputBytes: number;
  readonly artifactBytes: number;
  /** Absent for a build of `ci run`. */
  readonly publicUrl?: string;
  readonly cacheBytes: number;
  /** The runner supports conditions and parallel stages. */
  readonly followsOrder?: boolean;
}

const unmasked = (variables: Step["env"] = []) => variables.map((one) => ({ ...one, masked: false }));

const withoutParameters = ({ env = [] }: Step, { variables }: BuildDoc) =>
  unmasked(env.filter(({ key }) => !variables.some((one) => one.isParameter && one.key === key)));

/** A runner of an earlier version runs all jobs of a passing build. It gets no commands for those that must not run. */
const commandsFor = (step: Step, { followsOrder }: Limits): readonly string[] => {
  if (step.service !== undefined) return tooOld;
  return followsOrder || !step.skipAfterSuccess ? commandsOf(step) : [];
};

/** A runner of an earlier version starts no services. It runs this command instead, which fails the build clearly. */
const tooOld: readonly string[] = ["echo This runner is too old for services; exit 1"];

/** Returns everything a runner needs to run the build. `open` decrypts a value of the record it names. */
export const assignment = (
  doc: BuildDoc,
  limits: Limits,
  open: (sealed: string, kind: string, id: number) => string,
): Assignment => ({
  buildId: doc._id,
  epoch: doc.epoch,
  userId: doc.userId,
  number: doc.number,
  // A build of a fork gets only base images: the namespace's images may hold secrets.
  namespaceId: doc.origin?.bare ? undefined : doc.namespaceId,
  // A fork must not keep a runner busy with a failed machine either.
  driver: doc.origin?.bare ? { ...doc.driver, keepOnFailureMinutes: 0 } : doc.driver,
  jobs: doc.jobs.map(({ id, name, stage, mayFail }, index) => ({
    id,
    name,
    stage,
    mayFail,
    commands: commandsFor(doc.steps[index]!, limits),
    service: doc.steps[index]!.service,
    source: doc.steps[index]!.source,
    skipAfterSuccess: doc.steps[index]!.skipAfterSuccess ?? false,
    runAfterFailure: doc.steps[index]!.runAfterFailure ?? false,
    parallel: doc.steps[index]!.parallel ?? false,
    outputBytes: doc.jobs[index]!.outputBytes,
    timeoutMs: doc.steps[index]!.timeoutMs,
    retry: doc.steps[index]!.retry,
    variables: withoutParameters(doc.steps[index]!, doc),
    shell: doc.steps[index]!.shell,
    junitReports: doc.steps[index]!.reports ?? [],
    artifacts: doc.artifacts
      .filter((artifact) => artifact.jobId === id)
      .map((artifact) => ({ id: artifact.id, source: artifact.source, name: artifact.pattern ?? artifact.name })),
  })),
  leftOutJobs: doc.leftOut?.length ?? 0,
  facts: factsOf(doc, limits.publicUrl),
  services: (doc.services ?? []).map(({ env, ...service }) => ({ ...service, variables: unmasked(env) })),
  objects: doc.objects.map(({ id, source, name, objectId }) => ({ id, source, name, objectId })),
  variables: doc.variables.map(({ id, key, masked, sealed }) => ({
    key,
    masked,
    value: open(sealed, "build variable", id),
  })),
  keys: doc.keys.map(({ id, name, config, sealed }) => ({ name, config, privateKey: open(sealed, "build key", id) })),
  outputBytes: doc.outputBytes,
  buildTimeoutMs: limits.buildTimeoutMs,
  prepareTimeoutMs: limits.prepareTimeoutMs,
  outputLimitBytes: limits.outputBytes,
  artifactLimitBytes: limits.artifactBytes,
  caches: doc.caches ?? [],
  cacheLimitBytes: limits.cacheBytes,
  cacheReadOnly: !mayStore(doc),
  namespaceOnly: doc.namespaceOnly === true || doc.origin?.bare === true,
  traceparent: doc.trail?.traceparent,
  requestId: doc.trail?.requestId,
});
