import type { FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";

/** The owner of a container, folder or process; written on everything an environment consists of. */
export interface Mark {
  /** Two installations may use the same build ids. Absent on what an earlier version made. */
  readonly installation?: string;
  readonly buildId: number;
  readonly epoch: number;
}

/** Instead of a build's id: nobody knows which build used this, or it still waits for one. */
export const nobody = 0;

export const isSameMark = (one: Mark, other: Mark): boolean =>
  one.installation === other.installation && one.buildId === other.buildId && one.epoch === other.epoch;

export interface Order {
  readonly mark: Mark;
  readonly image: string;
  /** Opens the image at the images service; qemu only. */
  readonly imageTicket?: string;
  /** Absolute path of the working directory; docker only. */
  readonly workspace: string;
  /** Aborts when the runner gives the build up: then no removal waits for an engine that is away. */
  readonly lost?: AbortSignal;
  readonly pullAlways: boolean;
  readonly pullIfNotPresent?: boolean;
  /** The content of a Docker config file, whose logins are for pulls. */
  readonly logins?: string;
  readonly variables: readonly Variable[];
  readonly services?: readonly Service[];
  /** All jobs in order, so that a driver can prepare the next one early. */
  readonly jobs: readonly Job[];
  /** What caches keep: relative to the working directory, or beginning with `~/`. All jobs see the same files there. */
  readonly cachePaths?: readonly string[];
}

export interface Variable {
  readonly key: string;
  readonly value: string;
}

/** A container beside the jobs. */
export interface Service {
  readonly name: string;
  readonly image: string;
  readonly variables: readonly Variable[];
  /** Replaces the image's own command; empty for that. */
  readonly command: readonly string[];
  /** Ends with 0 once the service is ready. */
  readonly ready?: string;
}

export interface Job {
  readonly id: number;
  readonly script: string;
  /** Jobs with the same value may run at the same time. */
  readonly beside?: string;
  /** From 1; absent for the only attempt. */
  readonly attempt?: number;
  /** When it aborts, the script ends, and `run` returns its exit code. The environment stays usable. */
  readonly stop?: AbortSignal;
  /** What the build knows about itself and this job; any variable of the user's wins. */
  readonly facts?: readonly Variable[];
  /** The job's own variables, which win over the build's. */
  readonly variables?: readonly Variable[];
}

/** Linux opens no longer paths (PATH_MAX), and tar-stream takes quadratic time for names in many folders. */
export const maxPathLength = 4_096;

/** A file to place. A relative path starts at the working directory. */
export interface PlacedFile {
  readonly path: string;
  readonly mode: number;
  readonly folderMode?: number;
  readonly content: AsyncIterable<Uint8Array>;
}

export interface OpenedFile {
  readonly sizeBytes: number;
  readonly content: AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

export interface Found {
  readonly path: string;
  readonly kind: "file" | "link" | "directory" | "other";
}

/** A part of the environment's files, as a tar archive. */
export interface Tree {
  /** Where the names in the archive begin, relative to the base of `Trees`. */
  readonly folder: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Where the files of a build lie in its archives. */
export interface Layout {
  /** Folders that hold everything, relative to the base of all names. An empty one is the base itself. */
  readonly roots: readonly string[];
  /** The base is the root of the file system, so absolute links can lead into a root. */
  readonly isAbsolute: boolean;
}

/** Reads and places whole folders. Names in archives start at one base, the same for all builds of a driver. */
export interface Trees {
  readonly layout: Layout;
  /** Returns the path for `open` of a path that may begin with `~/`. */
  locate(path: string): string;
  /** Returns the name of a path in archives. One that begins with `../` is in none. */
  nameOf(path: string): string;
  /** Throws a Fault if jobs cannot share one of these paths. Known after `prepare`. */
  check?(paths: readonly string[]): void;
  /** Reads these paths. Missing ones are left out. */
  read(paths: readonly string[], signal: AbortSignal): AsyncIterable<Tree>;
  /** Places an archive that the file begins with. */
  place(file: FileHandle, sizeBytes: number, signal: AbortSignal): Promise<void>;
}

/** Lets an operator look into a failed environment. */
export interface Inspection {
  /** Keeps the environment for at most `ms`, or until `draining` aborts, and says how to log in. No job can run afterwards. */
  stay(ms: number, say: (line: string) => void, signal: AbortSignal, draining: AbortSignal): Promise<void>;
  /** Returns the disk as one file, after `stay`. Throws a Fault if it takes more than `maxBytes`. */
  disk(maxBytes: number, signal: AbortSignal): Promise<OpenedFile>;
}

/**
 * The place where the jobs of one build run. Its life:
 *
 *   created     costs nothing and holds nothing
 *   prepare     once; afterwards everything that jobs need exists
 *   put         any number of times, before the first run
 *   run         each job in order, each attempt of it once; files in the working directory stay. Jobs with the same
 *               `beside` may run at the same time
 *   list, open  read what a job left, between two runs or before the first
 *   trees       likewise; what is placed is there for all later runs
 *   dispose     at any time, even during or after a failed prepare; removes every trace and never throws
 *
 * Each method takes a signal. When it aborts, the method throws its reason within a second and ends all that it started.
 * A Fault carries a message for the user; any other error means that this machine cannot continue.
 */
export interface Environment extends AsyncDisposable {
  readonly sshFolder: string;
  prepare(say: (line: string) => void, signal: AbortSignal): Promise<void>;
  put(file: PlacedFile, signal: AbortSignal): Promise<void>;
  /** Runs a job, awaits `onOutput` for all its output and returns the exit code. */
  run(job: Job, onOutput: (bytes: Uint8Array) => Promise<void>, signal: AbortSignal): Promise<number>;
  /** Returns why a job ended with this code, if more is known than the code; without `job`, the last one. */
  explain?(exitCode: number, signal: AbortSignal, job?: Job): Promise<string | undefined>;
  /** Lists everything below a directory, `depth` levels deep and unordered. A missing directory is empty. */
  list(directory: string, depth: number, signal: AbortSignal, job?: Job): AsyncIterable<Found>;
  /** Opens a regular file as a job left it. Symbolic links are followed inside the environment. */
  open(path: string, signal: AbortSignal, job?: Job): Promise<OpenedFile>;
  readonly trees: Trees;
  readonly inspection?: Inspection;
  /**
   * Unpacks a tar archive below the working directory, after the first run. Without it, a job has to unpack it. The
   * environment stays usable when the signal aborts.
   */
  unpack?(archive: Readable, signal: AbortSignal): Promise<void>;
  /** Returns the end of what a service has printed. */
  serviceOutput?(name: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

export interface Leftover {
  readonly mark: Mark;
  readonly what: string;
  /** Whether processes of the build may still run in it. */
  readonly mayRun?: boolean;
  remove(): Promise<void>;
}

export interface Disk {
  readonly name: "work" | "engine" | "images";
  readonly path: string;
}

export interface Driver {
  readonly type: Driver_Type;
  /** Reports whether builds can run now. */
  ready(): Promise<boolean>;
  /** Returns the disks that builds fill, besides that of the working directories. */
  disks?(): readonly Disk[];
  /** Removes what is cached for later builds, least recently used first, while `isShort` holds. */
  makeRoom?(isShort: () => Promise<boolean>): Promise<void>;
  environment(order: Order): Environment;
  /** Returns what environments of this runner's name left, in use or not, except what is kept ready. */
  leftovers(): Promise<Leftover[]>;
  /** Removes what the driver keeps ready. Called when all environments are gone. */
  close?(): Promise<void>;
}
