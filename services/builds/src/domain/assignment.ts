import type { Assignment } from "@ci/proto/builds/v1/queue";
import { type BuildDoc, commandsOf } from "./build.js";

export interface Limits {
  readonly buildTimeoutMs: number;
  readonly prepareTimeoutMs: number;
  readonly outputBytes: number;
  readonly artifactBytes: number;
  /** The runner knows conditions and parallel stages. */
  readonly followsOrder?: boolean;
}

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
  // A build of a fork gets only base images: an image of the namespace may hold secrets.
  namespaceId: doc.origin?.bare ? undefined : doc.namespaceId,
  // A fork may not keep a runner busy with a failed machine either.
  driver: doc.origin?.bare ? { ...doc.driver, keepOnFailureMinutes: 0 } : doc.driver,
  jobs: doc.jobs.map(({ id, name, stage, mayFail }, index) => ({
    id,
    name,
    stage,
    mayFail,
    // An older runner runs every job of a build that passes.
    commands: limits.followsOrder || !doc.steps[index]!.skipAfterSuccess ? commandsOf(doc.steps[index]!) : [],
    source: doc.steps[index]!.source,
    skipAfterSuccess: doc.steps[index]!.skipAfterSuccess ?? false,
    runAfterFailure: doc.steps[index]!.runAfterFailure ?? false,
    parallel: doc.steps[index]!.parallel ?? false,
    outputBytes: doc.jobs[index]!.outputBytes,
    timeoutMs: doc.steps[index]!.timeoutMs,
    retry: doc.steps[index]!.retry,
    artifacts: doc.artifacts
      .filter((artifact) => artifact.jobId === id)
      .map((artifact) => ({ id: artifact.id, source: artifact.source, name: artifact.pattern ?? artifact.name })),
  })),
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
  namespaceOnly: doc.namespaceOnly === true || doc.origin?.bare === true,
  traceparent: doc.trail?.traceparent,
  requestId: doc.trail?.requestId,
});
