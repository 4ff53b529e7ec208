import type { Driver_Type } from "@ci/proto/builds/v1/queue";

/** Says whose a thing on this machine is: written on everything an environment is made of. */
export interface Mark {
  /** Whose build it is: two installations count their builds alike. Absent on what an earlier version has made. */
  readonly installation?: string;
  readonly buildId: number;
  readonly epoch: number;
}

/** Whose images a build may use. */
export interface Owner {
  readonly userId: number;
  readonly namespaceId?: number;
  /** Not those that the user has without namespace. */
  readonly namespaceOnly: boolean;
}

/** What an environment is made from. */
export interface Order {
  readonly mark: Mark;
  readonly image: string;
  readonly owner: Owner;
  /** Absolute path of the working directory; docker only. */
  readonly workspace: string;
  readonly pullAlways: boolean;
  readonly variables: readonly { readonly key: string; readonly value: string }[];
  /** Every job that may run, in order: a driver may make the next one ready while one is running. */
  readonly jobs: readonly Job[];
}

/** One job, as far as a driver is concerned: something for /bin/sh. */
export interface Job {
  readonly id: number;
  readonly script: string;
}

/** A file to place. A relative path starts at the working directory. */
export interface PlacedFile {
  readonly path: string;
  readonly mode: number;
  /** The mode of the folder it lies in, where that matters. */
  readonly folderMode?: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/** A regular file of the environment, opened. */
export interface OpenedFile {
  readonly sizeBytes: number;
  /** The bytes; ask once, or close. */
  readonly content: AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** What lies below a directory. */
export interface Found {
  /** Relative to the directory that was listed. */
  readonly path: string;
  readonly kind: "file" | "link" | "directory" | "other";
}

/** How somebody who operates this machine can look at what has failed. */
export interface Inspection {
  /** Leaves everything as it is for so long at most, saying how to get in; then it ends, and no more jobs can be run. */
  stay(ms: number, say: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** Afterwards: opens its disk, as a file that needs no other. Throws a Fault if that takes more than `maxBytes`. */
  disk(maxBytes: number, signal: AbortSignal): Promise<OpenedFile>;
}

/**
 * The place in which the jobs of one build run. Its life:
 *
 *   made     costs nothing and holds nothing
 *   prepare  once; everything that jobs need exists afterwards
 *   put      any number of times, before the first run
 *   run      each job of the order once, one after another; its files last in the working directory
 *   list, open   what the last job left, between two runs
 *   dispose  at any time, also during or after a failed prepare: every trace goes; never throws
 *
 * Every method takes a signal; when it fires the method throws the signal's reason, within a second,
 * and nothing that it has started goes on. A Fault that is thrown has a message for the user; everything else means that
 * this machine cannot go on.
 */
export interface Environment extends AsyncDisposable {
  /** The folder of SSH keys, as a path for `put`. */
  readonly sshFolder: string;
  prepare(say: (line: string) => void, signal: AbortSignal): Promise<void>;
  put(file: PlacedFile, signal: AbortSignal): Promise<void>;
  /** Runs a job to its end, hands every byte to `onOutput`, waiting for it, and answers the exit code. */
  run(job: Job, onOutput: (bytes: Uint8Array) => Promise<void>, signal: AbortSignal): Promise<number>;
  /** Returns in a sentence why the last job ended with this code, where more is known than the code. */
  explain?(exitCode: number, signal: AbortSignal): Promise<string | undefined>;
  /** Everything below a directory, `depth` levels deep, in no certain order; nothing if there is no such directory. */
  list(directory: string, depth: number, signal: AbortSignal): AsyncIterable<Found>;
  /** Opens a regular file; symbolic links are followed inside the environment. */
  open(path: string, signal: AbortSignal): Promise<OpenedFile>;
  /** Where a failed environment can be kept for a while; used after the last job, if at all. */
  readonly inspection?: Inspection;
}

/** Something on this machine that carries our mark. */
export interface Leftover {
  readonly mark: Mark;
  /** For the log: `container 4f0c…`. */
  readonly what: string;
  remove(): Promise<void>;
}

/** A disk that builds fill. */
export interface Disk {
  /** For the log and the metrics. */
  readonly name: "work" | "engine" | "images";
  /** A folder on it. */
  readonly path: string;
}

/** One way to run builds. */
export interface Driver {
  readonly type: Driver_Type;
  /** Whether builds can be run now; an engine may be away for a while. */
  ready(): Promise<boolean>;
  /** Returns the disks that builds fill besides that of the working directories, as far as they are known. */
  disks?(): readonly Disk[];
  /** Removes what is kept for later builds, what was not used for longest first, while `isShort` says so. */
  makeRoom?(isShort: () => Promise<boolean>): Promise<void>;
  environment(order: Order): Environment;
  /**
   * Everything that still exists of what environments of this runner's name have made, of any installation, in use or
   * not; without what it keeps ready.
   */
  leftovers(): Promise<Leftover[]>;
  /** Removes what it keeps ready for builds to come; to be called when all environments are gone. */
  close?(): Promise<void>;
}
