import type { Manifest } from "@ci/manifest/manifest";
import type { Axes } from "@ci/manifest/matrix";
import type { QueuePlace, Tag, Trigger } from "@ci/proto/builds/v1/builds";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { GetBuildInputsResponse } from "@ci/proto/namespaces/v1/resources";
import type { BuildDoc, Step } from "./build.js";
import { buildEvent } from "./change.js";
import type { Origin } from "./origin.js";
import type { Parameter } from "./parameters.js";
import { type PlannedJob, planJobs } from "./plan.js";
import { mergeVariables } from "./variables.js";

export interface Submission {
  readonly text: string;
  readonly manifest: Manifest;
  /** Indexes of the jobs that `when` removed from `manifest`, for restarts. */
  readonly leftOut?: readonly number[];
  readonly tags: readonly string[];
  readonly trigger: Trigger;
  readonly userId: number;
  readonly namespace?: Namespace;
  readonly inputs: GetBuildInputsResponse;
  readonly parameters?: readonly Parameter[];
  readonly actorId?: number;
  readonly run?: { readonly cronId: number; readonly dueAt?: Date };
  readonly origin?: Origin;
  readonly awaitsApproval?: boolean;
  readonly trail?: BuildDoc["trail"];
  readonly place: QueuePlace;
  readonly submitter: string;
  readonly axes?: Axes;
  readonly group?: BuildDoc["group"];
  readonly auditEntry?: string;
  readonly idempotency?: BuildDoc["idempotency"];
}

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

export const idsOfInputs = (manifest: Manifest, inputs: GetBuildInputsResponse, parameters: readonly Parameter[]) => ({
  variable: inputs.variables.length + manifest.env.length + parameters.length,
  key: inputs.keys.length,
});

export type Ids = Record<keyof ReturnType<typeof idsOf> | keyof ReturnType<typeof idsOfInputs>, number>;

export type Encrypt = (value: string, kind: string, id: number) => string;

function inputsOf(
  submission: Submission,
  ids: Ids,
  encrypt: Encrypt,
): Pick<BuildDoc, "objects" | "variables" | "keys"> {
  const { manifest, inputs } = submission;
  const found = new Map(inputs.objects.map((object) => [object.name, object]));
  return {
    objects: manifest.objects.map(({ source, name }, index) => {
      const object = found.get(source);
      const stored = object && { type: object.type, md5: object.md5, sha256: object.sha256, objectId: object.id };
      return { id: ids.object + index, source, name, placed: false, ...stored };
    }),
    variables: mergeVariables(submission).map(({ value, ...variable }, index) => {
      const id = ids.variable + index;
      return { id, ...variable, sealed: encrypt(value, "build variable", id) };
    }),
    keys: inputs.keys.map(({ id: keyId, name, config, privateKey }, index) => {
      const id = ids.key + index;
      return { id, keyId, name, config, sealed: encrypt(privateKey, "build key", id) };
    }),
  };
}

/** Returns the key of a concurrency group: of one namespace, one user, or one request from a fork. A restart keeps it. */
export function concurrencyOf({
  manifest,
  namespace,
  userId,
  origin,
}: Pick<Submission, "manifest" | "namespace" | "userId" | "origin">): BuildDoc["concurrency"] {
  if (!manifest.concurrency) return undefined;
  const { group, cancel } = manifest.concurrency;
  const owner = namespace ? `namespace/${namespace.id}` : `user/${userId}`;
  const fork = origin?.bare ? `fork/${origin.url}/${origin.request ?? ""}/` : "";
  return { key: `${fork}${owner}/${group}`, ...(cancel ? { cancel } : {}) };
}

const stepOf = ({ stage: _s, name: _n, mayFail: _m, artifacts: _a, ...step }: PlannedJob): Step => step;

function jobsOf(
  { manifest }: Submission,
  ids: Ids,
  number: number,
  createdAt: Date,
): Pick<BuildDoc, "jobs" | "steps" | "artifacts"> {
  const jobs = planJobs(manifest, number);
  let artifactId = ids.artifact;
  return {
    jobs: jobs.map(({ stage, name, mayFail }, index) => ({
      id: ids.job + index,
      stage,
      name,
      mayFail,
      status: "queued",
      createdAt,
      outputBytes: 0,
    })),
    steps: jobs.map(stepOf),
    artifacts: jobs.flatMap(({ artifacts }, index) =>
      artifacts.map(({ source, name, pattern }) => {
        const id = artifactId++;
        return { id, entryId: id, jobId: ids.job + index, source, name, pattern, createdAt };
      }),
    ),
  };
}

/** Makes the document of a new build, with its first event. `encrypt` binds a value to the record it belongs to. */
export function newBuild(submission: Submission, ids: Ids, number: number, now: Date, encrypt: Encrypt): BuildDoc {
  const { manifest, namespace, userId, run, origin } = submission;
  const tag = (name: string, index: number): Tag => ({
    id: ids.tag + index,
    userId,
    buildId: ids.build,
    name,
    createdAt: now,
  });
  const { jobs, steps, artifacts } = jobsOf(submission, ids, number, now);
  const { objects, variables, keys } = inputsOf(submission, ids, encrypt);
  const doc: BuildDoc = {
    _id: ids.build,
    rev: 1,
    userId,
    ownerId: namespace?.userId ?? userId,
    rootId: namespace?.rootId,
    namespaceId: namespace?.id,
    ancestorIds: namespace?.ancestorIds.length ? namespace.ancestorIds : undefined,
    cronId: run?.cronId,
    cronDueAt: run?.dueAt,
    namespaceOnly: run !== undefined && namespace !== undefined,
    origin,
    ...(manifest.services.length > 0 ? { services: manifest.services } : {}),
    names: { user: submission.submitter, ...(namespace ? { namespace: namespace.path } : {}) },
    awaitsApproval: submission.awaitsApproval ? true : undefined,
    concurrency: concurrencyOf(submission),
    leftOut: submission.leftOut?.length ? submission.leftOut : undefined,
    axes: submission.axes,
    group: submission.group,
    trail: submission.trail,
    auditEntry: submission.auditEntry,
    idempotency: submission.idempotency,
    number,
    status: "queued",
    tags: submission.tags.map(tag),
    pinned: false,
    createdAt: now,
    manifest: submission.text,
    trigger: submission.trigger,
    outputBytes: 0,
    driver: manifest.driver,
    jobs,
    steps,
    objects,
    variables,
    keys,
    artifacts,
    caches: manifest.caches.length > 0 ? manifest.caches : undefined,
    epoch: 0,
    returns: 0,
    seq: 1,
    tail: [],
    tailFrom: 0,
    outbox: [],
  };
  const details = { actorId: submission.actorId, queue: submission.place };
  return { ...doc, outbox: [buildEvent(doc, "build.submitted", now, details)] };
}
