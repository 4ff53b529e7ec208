import type { QueuePlace, Tag, Trigger } from "@ci/proto/builds/v1/builds";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { GetBuildInputsResponse } from "@ci/proto/namespaces/v1/resources";
import type { BuildDoc } from "./build.js";
import { buildEvent } from "./change.js";
import { type Manifest, planJobs } from "./manifest.js";
import type { Origin } from "./origin.js";

/** What a build is made from, once every check has passed. */
export interface Submission {
  readonly text: string;
  readonly manifest: Manifest;
  readonly tags: readonly string[];
  readonly trigger: Trigger;
  readonly userId: number;
  readonly namespace?: Namespace;
  readonly inputs: GetBuildInputsResponse;
  /** Who acted; absent for acts of the service. */
  readonly actorId?: number;
  /** The run of a cron job that makes this build. */
  readonly run?: { readonly cronId: number; readonly dueAt: Date };
  readonly origin?: Origin;
  readonly trail?: BuildDoc["trail"];
  /** Where it will stand in the queue. */
  readonly place: QueuePlace;
}

/** How many ids of each kind a manifest takes. */
export function idsOf(manifest: Manifest, tags: readonly string[]) {
  const jobs = planJobs(manifest, 0);
  return {
    build: 1,
    job: jobs.length,
    artifact: jobs.reduce((sum, job) => sum + job.artifacts.length, 0),
    tag: tags.length,
    object: manifest.objects.length,
  };
}

/** How many ids of each kind the copies of variables and keys take. */
export const idsOfInputs = (manifest: Manifest, inputs: GetBuildInputsResponse) => ({
  variable: inputs.variables.length + manifest.env.length,
  key: inputs.keys.length,
});

export type Ids = Record<keyof ReturnType<typeof idsOf> | keyof ReturnType<typeof idsOfInputs>, number>;

/** Stored values first, manifest entries last: of one key the last counts. */
function variablesOf({ manifest, inputs }: Submission) {
  const byKey = new Map<string, { key: string; value: string; masked: boolean; variableId?: number }>();
  for (const { id, key, value, masked } of inputs.variables) byKey.set(key, { key, value, masked, variableId: id });
  for (const { key, value } of manifest.env) byKey.set(key, { key, value, masked: false });
  return [...byKey.values()];
}

/** The whole build as it is stored, with its first event. `seal` encrypts a value for the record it names. */
export function newBuild(
  submission: Submission,
  ids: Ids,
  number: number,
  now: Date,
  seal: (value: string, kind: string, id: number) => string,
): BuildDoc {
  const { manifest, inputs, namespace, userId, run, origin } = submission;
  const jobs = planJobs(manifest, number);
  let artifactId = ids.artifact;
  const objects = new Map(inputs.objects.map((object) => [object.name, object]));
  const tag = (name: string, index: number): Tag => ({
    id: ids.tag + index,
    userId,
    buildId: ids.build,
    name,
    createdAt: now,
  });
  const doc: BuildDoc = {
    _id: ids.build,
    rev: 1,
    userId,
    ownerId: namespace?.userId ?? userId,
    rootId: namespace?.rootId,
    namespaceId: namespace?.id,
    cronId: run?.cronId,
    cronDueAt: run?.dueAt,
    namespaceOnly: run !== undefined && namespace !== undefined,
    origin,
    trail: submission.trail,
    number,
    status: "queued",
    tags: submission.tags.map(tag),
    pinned: false,
    createdAt: now,
    manifest: submission.text,
    trigger: submission.trigger,
    outputBytes: 0,
    driver: manifest.driver,
    jobs: jobs.map(({ stage, name, mayFail }, index) => ({
      id: ids.job + index,
      stage,
      name,
      mayFail,
      status: "queued",
      createdAt: now,
      outputBytes: 0,
    })),
    steps: jobs.map(({ commands, source }) => ({ commands, source })),
    objects: manifest.objects.map(({ source, name }, index) => {
      const object = objects.get(source);
      const found = object && { type: object.type, md5: object.md5, sha256: object.sha256, objectId: object.id };
      return { id: ids.object + index, source, name, placed: false, ...found };
    }),
    variables: variablesOf(submission).map(({ value, ...variable }, index) => {
      const id = ids.variable + index;
      return { id, ...variable, sealed: seal(value, "build variable", id) };
    }),
    keys: inputs.keys.map(({ id: keyId, name, config, privateKey }, index) => {
      const id = ids.key + index;
      return { id, keyId, name, config, sealed: seal(privateKey, "build key", id) };
    }),
    artifacts: jobs.flatMap(({ artifacts }, index) =>
      artifacts.map(({ source, name, pattern }) => {
        const id = artifactId++;
        return { id, entryId: id, jobId: ids.job + index, source, name, pattern, createdAt: now };
      }),
    ),
    epoch: 0,
    returns: 0,
    seq: 1,
    tail: [],
    tailFrom: 0,
    outbox: [],
  };
  const told = { actorId: submission.actorId, queue: submission.place };
  return { ...doc, outbox: [buildEvent(doc, "build.submitted", now, told)] };
}
