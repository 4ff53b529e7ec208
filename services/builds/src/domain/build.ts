import { cloneCommands } from "@ci/git/clone-commands";
import type { Outbox, OutboxEvent, Stored } from "@ci/kit/mongo/document";
import type { Cache } from "@ci/manifest/caches";
import type { JobRun } from "@ci/manifest/job-run";
import type { Manifest } from "@ci/manifest/manifest";
import type { Axes } from "@ci/manifest/matrix";
import type { OrderedJob } from "@ci/manifest/next-jobs";
import type {
  Artifact,
  Build,
  Build_Status,
  BuildGroup,
  BuildKey,
  BuildObject,
  BuildVariable,
  Job,
} from "@ci/proto/builds/v1/builds";
import type { Driver, FinishJobRequest_Outcome, Lease, Source, TestCounts } from "@ci/proto/builds/v1/queue";
import type { Idempotency } from "./idempotency.js";
import type { Origin } from "./origin.js";

/** The document of a build: everything that changes together, and nothing that grows without bound. */
export type BuildDoc = Omit<Stored<Build>, "output" | "queue" | "group"> &
  Outbox & {
    /** Counts the changes. A change is written only if the revision it is based on is still current. */
    rev: number;
    /** The user whose lists show the build: the owner of its namespace, otherwise its submitter. */
    ownerId: number;
    rootId?: number;
    /** The namespaces above its namespace, the root first; absent if there are none. */
    ancestorIds?: readonly number[];
    cronId?: number;
    /** The due time of the cron job's run that submitted it. Each run submits one build. */
    cronDueAt?: Date;
    /** Set for scheduled builds in a namespace, which may use only what the namespace owns. */
    namespaceOnly?: boolean;
    /** Search terms of the tags; set by the store. */
    tagTerms?: readonly string[];
    /** The tags as one text for index keys; set by the store. */
    tagText?: string;
    /** The request that submitted the build. Later work on the build joins its trace. */
    trail?: OutboxEvent["trail"];
    /** The entry of the audit log that says what made the build, as JSON, until the log has it. */
    auditEntry?: string;
    /** Of a group, only the first build has it. */
    idempotency?: Idempotency;
    origin?: Origin;
    services?: Manifest["services"];
    /** The submitter's name and the path of the namespace when the build was submitted. */
    names?: { readonly user: string; readonly namespace?: string };
    /** The build comes from a fork. It is queued, but cannot be claimed until a member approves it. */
    awaitsApproval?: true;
    /** The size of the record when it was made, if it awaited approval; set by the store. */
    unapprovedBytes?: number;
    /** Builds with the same key run one at a time. `cancel` says which older builds this one kills. */
    concurrency?: { readonly key: string; readonly cancel?: "queued" | "running" };
    /** Indexes of the manifest's jobs that `when` left out; absent if there are none. */
    leftOut?: readonly number[];
    /** The matrix values of the build. If it is restarted alone, the new build keeps them but is in no group. */
    axes?: Axes;
    group?: Omit<BuildGroup, "axes">;
    driver: Driver;
    jobs: readonly JobDoc[];
    /** What each job runs, in the order of `jobs`; never changes. */
    steps: readonly Step[];
    objects: readonly Omit<BuildObject, "buildId">[];
    variables: readonly (Omit<BuildVariable, "buildId" | "value"> & { sealed: string; isParameter?: boolean })[];
    keys: readonly (Omit<BuildKey, "buildId"> & { sealed: string })[];
    artifacts: readonly ArtifactDoc[];
    caches?: readonly Cache[];
    /** Sum of the sizes of collected artifacts; absent if nothing is stored. */
    artifactBytes?: number;
    /** Incremented by each claim. A call with an older epoch comes from a runner that has lost the build. */
    epoch: number;
    lease?: HeldLease;
    /** SHA-256 of the secret of the last claim. */
    leaseHash?: string;
    returns: number;
    /** How the last job has ended, while its failed machine stays. */
    verdict?: Verdict;
    killRequestedAt?: Date;
    /** Name of the user who requested the kill, if a user did. */
    killRequestedBy?: string;
    seq: number;
    /** The end of the output, from offset `tailFrom` on. Older output has its own collection. */
    tail: readonly Chunk[];
    tailFrom: number;
    /** Positions of parallel jobs' output in the build's output, in order. */
    parts?: readonly Part[];
  };

/** The store sets `until` by the clock of MongoDB. */
export type HeldLease = Omit<Lease, "until"> & { readonly until?: Date };

/** How a job ends that was claimed with this epoch. */
export interface Verdict {
  readonly epoch: number;
  readonly jobId: number;
  readonly outcome: FinishJobRequest_Outcome;
  readonly exitCode?: number;
  readonly reason?: string;
  readonly tests?: TestCounts;
}

export type JobDoc = Omit<Job, "buildId" | "commands" | "output"> & {
  /** The counts of its test reports, once it has finished. */
  tests?: TestCounts;
  /** Runs side by side with other jobs of its stage. */
  readonly beside?: boolean;
};

export interface Step extends JobRun, Omit<OrderedJob, "stage"> {
  readonly commands: readonly string[];
  readonly source?: Source;
  readonly env?: readonly { readonly key: string; readonly value: string }[];
  readonly shell?: string;
  /** Name of the service whose output this job holds. */
  readonly service?: string;
  readonly reports?: readonly string[];
}

/** Returns the commands of a step. The step that prepares the environment has none. */
export const commandsOf = ({ commands, source }: Step): readonly string[] =>
  source ? cloneCommands(source) : commands;

export type ArtifactDoc = Omit<Artifact, "buildId" | "userId"> & {
  blobId?: string;
  /** The name of each match of a glob, where `*` stands for its base name. */
  pattern?: string;
  /** Id of the record of the manifest's entry: this one, or the first match of the same glob. */
  entryId: number;
  /** The original entry, while this record holds a match of it or the kept disk. */
  entry?: { readonly source: string; readonly name: string; readonly jobId?: number };
};

/**
 * Parallel jobs print at the same time, but the build's output shows them one after another. Their pieces are stored in
 * order of arrival, and parts say where each job's text belongs in the build's output. Outside parallel stages, both
 * orders are the same.
 */
export interface Part {
  readonly job: number;
  /** Where the part begins in the job's output. */
  readonly jobStart: number;
  readonly bytes: number;
  /** Where the part begins in the build's output; absent while jobs before it run. */
  readonly start?: number;
}

/** A piece of output. Offsets count UTF-8 bytes: `start` in order of arrival, `jobStart` in the job's text. */
export interface Chunk {
  /** Index of the job; absent for lines that the service writes about the whole build. */
  readonly job?: number;
  readonly start: number;
  readonly jobStart?: number;
  readonly bytes: number;
  readonly text: string;
  /** When it arrived; absent in pieces that older versions have stored. */
  readonly at?: Date;
}

const severity: readonly Build_Status[] = [
  "queued",
  "running",
  "passed",
  "passed_with_failures",
  "failed",
  "killed",
  "timed_out",
];

export const isFinal = (status: Build_Status): boolean => severity.indexOf(status) >= 2;

export const worst = (statuses: readonly Build_Status[]): Build_Status =>
  statuses.reduce((a, b) => (severity.indexOf(b) > severity.indexOf(a) ? b : a), "passed");

/** The statuses from which a build may enter each status. */
export const previousStatuses: Readonly<Record<Build_Status, readonly Build_Status[]>> = {
  queued: ["running"],
  running: ["queued"],
  passed: ["running"],
  passed_with_failures: ["running"],
  failed: ["running"],
  killed: ["queued", "running"],
  timed_out: ["running"],
};
