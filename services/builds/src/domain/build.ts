import type { Outbox, OutboxEvent, Stored } from "@ci/kit/mongo/document";
import { cloneCommands } from "@ci/kit/process/clone-commands";
import type {
  Artifact,
  Build,
  Build_Status,
  BuildKey,
  BuildObject,
  BuildVariable,
  Job,
} from "@ci/proto/builds/v1/builds";
import type { Driver, Lease, Source } from "@ci/proto/builds/v1/queue";
import type { Origin } from "./origin.js";

/** A build whole: everything about it that changes together, and nothing that grows without bound. */
export type BuildDoc = Omit<Stored<Build>, "output" | "queue"> &
  Outbox & {
    /** Counts the changes; a change is written only onto the revision it was made from. */
    rev: number;
    /** Whose lists show it: the owner of its namespace, else who submitted it. */
    ownerId: number;
    rootId?: number;
    cronId?: number;
    /** Which run of the cron job made it; each run makes one build. */
    cronDueAt?: Date;
    /** Scheduled in a namespace: only what the namespace owns may be used. */
    namespaceOnly?: boolean;
    /** What the build is found by when its tags are searched for; the store makes them. */
    tagTerms?: readonly string[];
    /** The request that submitted it: whoever goes on with the build goes on with that. */
    trail?: OutboxEvent["trail"];
    /** Of builds that a repository's hook has made. */
    origin?: Origin;
    driver: Driver;
    /** In order of execution. */
    jobs: readonly JobDoc[];
    /** What each job does, in the order of jobs; never changes. */
    steps: readonly Step[];
    objects: readonly Omit<BuildObject, "buildId">[];
    variables: readonly (Omit<BuildVariable, "buildId" | "value"> & { sealed: string })[];
    keys: readonly (Omit<BuildKey, "buildId"> & { sealed: string })[];
    artifacts: readonly ArtifactDoc[];
    /** Sum of the sizes of collected artifacts; absent when nothing is stored. */
    artifactBytes?: number;
    /** One higher at each claim: what carries an older one comes from a runner that has lost the build. */
    epoch: number;
    lease?: HeldLease;
    /** How often it came back to the queue because its runner was lost. */
    returns: number;
    killRequestedAt?: Date;
    /** The username of who asked for that, if a user did. */
    killRequestedBy?: string;
    /** Number of the last event. */
    seq: number;
    /** The end of the output, from offset tailFrom on; what is older has its own collection. */
    tail: readonly Chunk[];
    tailFrom: number;
  };

/** `until` is written by the store, which asks the database for the time. */
export type HeldLease = Omit<Lease, "until"> & { readonly until?: Date };

export type JobDoc = Omit<Job, "buildId" | "commands" | "output">;

export interface Step {
  readonly commands: readonly string[];
  /** What a clone job fetches; its commands follow from it. */
  readonly source?: Source;
}

/** The lines that a step runs; none for the one that prepares the environment. */
export const commandsOf = ({ commands, source }: Step): readonly string[] =>
  source ? cloneCommands(source) : commands;

export type ArtifactDoc = Omit<Artifact, "buildId" | "userId"> & {
  blobId?: string;
  /** Of a glob: what a match will be called, with `*` for its base name. */
  pattern?: string;
  /** The record made for the entry of the manifest: itself, or the first match of the same glob. */
  entryId: number;
  /** What the entry said, while this record stands for a match of it; of the environment's disk, whose it was. */
  entry?: { readonly source: string; readonly name: string; readonly jobId?: number };
};

/** A piece of output. Offsets are bytes of UTF-8 in the build's and in the job's text. */
export interface Chunk {
  /** Index of the job; absent for lines of the service about the whole build. */
  readonly job?: number;
  readonly start: number;
  readonly jobStart?: number;
  readonly bytes: number;
  readonly text: string;
}

/** In order of severity. */
const severity: readonly Build_Status[] = [
  "queued",
  "running",
  "passed",
  "passed_with_failures",
  "failed",
  "killed",
  "timed_out",
];

export const finalStatuses = severity.slice(2);
export const isFinal = (status: Build_Status): boolean => severity.indexOf(status) >= 2;

/** The most severe status; of none: passed. */
export const worst = (statuses: readonly Build_Status[]): Build_Status =>
  statuses.reduce((a, b) => (severity.indexOf(b) > severity.indexOf(a) ? b : a), "passed");

/** Which states a build may come from. */
export const from: Readonly<Record<Build_Status, readonly Build_Status[]>> = {
  queued: ["running"],
  running: ["queued"],
  passed: ["running"],
  passed_with_failures: ["running"],
  failed: ["running"],
  killed: ["queued", "running"],
  timed_out: ["running"],
};
