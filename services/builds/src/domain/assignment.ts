import type { AssignedJob, Assignment } from "@ci/proto/builds/v1/queue";
import { type BuildDoc, commandsOf, type JobDoc, type Step } from "./build.js";
import { mayStore } from "./cache.js";
import { factsOf } from "./facts.js";

interface Terms {
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
const commandsFor = (step: Step, { followsOrder }: Terms): readonly string[] => {
  if (step.service !== undefined) return tooOld;
  return followsOrder || !step.skipAfterSuccess ? commandsOf(step) : [];
};

/** A runner of an earlier version starts no services. It runs this command instead, which fails the build clearly. */
const tooOld: readonly string[] = ["echo This runner is too old for services; exit 1"];

const assignedJob = (doc: BuildDoc, job: JobDoc, step: Step, terms: Terms): AssignedJob => ({
  id: job.id,
  name: job.name,
  stage: job.stage,
  mayFail: job.mayFail,
  commands: commandsFor(step, terms),
  service: step.service,
  source: step.source,
  skipAfterSuccess: step.skipAfterSuccess ?? false,
  runAfterFailure: step.runAfterFailure ?? false,
  parallel: step.parallel ?? false,
  outputBytes: job.outputBytes,
  timeoutMs: step.timeoutMs,
  retry: step.retry,
  variables: withoutParameters(step, doc),
  shell: step.shell,
  junitReports: step.reports ?? [],
  artifacts: doc.artifacts
    .filter((artifact) => artifact.jobId === job.id)
    .map(({ id, source, name, pattern }) => ({ id, source, name: pattern ?? name })),
});

/** Returns everything a runner needs to run the build. `open` decrypts a value of the record it names. */
export const assignment = (
  doc: BuildDoc,
  terms: Terms,
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
  jobs: doc.jobs.map((job, index) => assignedJob(doc, job, doc.steps[index]!, terms)),
  leftOutJobs: doc.leftOut?.length ?? 0,
  facts: factsOf(doc, terms.publicUrl),
  services: (doc.services ?? []).map(({ env, ...service }) => ({ ...service, variables: unmasked(env) })),
  objects: doc.objects.map(({ id, source, name, objectId }) => ({ id, source, name, objectId })),
  variables: doc.variables.map(({ id, key, masked, sealed }) => ({
    key,
    masked,
    value: open(sealed, "build variable", id),
  })),
  keys: doc.keys.map(({ id, name, config, sealed }) => ({ name, config, privateKey: open(sealed, "build key", id) })),
  outputBytes: doc.outputBytes,
  buildTimeoutMs: terms.buildTimeoutMs,
  prepareTimeoutMs: terms.prepareTimeoutMs,
  outputLimitBytes: terms.outputBytes,
  artifactLimitBytes: terms.artifactBytes,
  caches: doc.caches ?? [],
  cacheLimitBytes: terms.cacheBytes,
  cacheReadOnly: !mayStore(doc),
  namespaceOnly: doc.namespaceOnly === true || doc.origin?.bare === true,
  traceparent: doc.trail?.traceparent,
  requestId: doc.trail?.requestId,
});
