import { type OutboxEvent, outboxEvent } from "@ci/kit/mongo/document";
import { Fault } from "@ci/kit/rpc/fault";
import type { Build, Build_Status, QueuePlace } from "@ci/proto/builds/v1/builds";
import type { Event } from "@ci/proto/events/v1/events";
import { type BuildDoc, type Chunk, from } from "./build.js";

/** What one atomic write does to a build. A field that is set to undefined is removed. */
export interface Change {
  readonly set: Partial<Omit<BuildDoc, "_id" | "rev" | "outbox" | "tail">>;
  /** The lease that is set ends so long after the write, by the clock of the database. */
  readonly leaseMs?: number;
  /** Output that is added. */
  readonly say?: readonly Chunk[];
  readonly events?: readonly OutboxEvent[];
}

/** The public record of a stored build, without output. */
export const toBuild = (doc: BuildDoc): Build => ({
  id: doc._id,
  userId: doc.userId,
  namespaceId: doc.namespaceId,
  number: doc.number,
  status: doc.status,
  tags: doc.tags,
  pinned: doc.pinned,
  createdAt: doc.createdAt,
  startedAt: doc.startedAt,
  finishedAt: doc.finishedAt,
  manifest: doc.manifest,
  trigger: doc.trigger,
  outputBytes: doc.outputBytes,
});

/** How much output the records in lists and events show. */
export const shortOutputBytes = 64 * 1024;

/** The last bytes of a text, cut at a character border; undefined for no text. */
export function lastBytes(text: string, bytes: number): string | undefined {
  const all = Buffer.from(text);
  if (all.length === 0) return undefined;
  let at = Math.max(0, all.length - bytes);
  // Bytes 10xxxxxx continue a character.
  while (at < all.length && (all[at]! & 0xc0) === 0x80) at++;
  return all.subarray(at).toString();
}

/** The record as lists and events show it: with the end of the output, and where it stands while it is queued. */
export function toShortBuild(doc: BuildDoc, queue?: QueuePlace, limitBytes = shortOutputBytes): Build {
  const text = doc.tail.map((chunk) => chunk.text).join("");
  return {
    ...toBuild(doc),
    output: lastBytes(text, limitBytes),
    queue: doc.status === "queued" ? queue : undefined,
  };
}

/** What an event about a build tells besides the build: who did it, its place in the queue, a body of its own. */
export interface Telling {
  readonly actorId?: number;
  readonly queue?: QueuePlace;
  readonly body?: (build: Build) => Event["body"];
}

/** An event about a build, with the record as the change leaves it; `seq` counts on from the build's last. */
export function buildEvent(doc: BuildDoc, kind: string, at: Date, { actorId, queue, body }: Telling = {}): OutboxEvent {
  const build = toShortBuild(doc, queue);
  return outboxEvent({
    kind,
    at,
    actorId,
    namespaceId: doc.namespaceId,
    buildId: doc._id,
    seq: doc.seq,
    body: body ? body(build) : { $case: "build", value: build },
  });
}

/** The text as it continues the output of a build and, with `job`, of one job. */
export function speak(doc: BuildDoc, text: string, job?: number): Required<Pick<Change, "set" | "say">> {
  if (text === "") return { set: {}, say: [] };
  const bytes = Buffer.byteLength(text);
  const jobStart = job === undefined ? undefined : doc.jobs[job]!.outputBytes;
  const jobs = doc.jobs.map((one, index) => (index === job ? { ...one, outputBytes: one.outputBytes + bytes } : one));
  return {
    set: { outputBytes: doc.outputBytes + bytes, ...(job === undefined ? {} : { jobs }) },
    say: [{ job, start: doc.outputBytes, jobStart, bytes, text }],
  };
}

/** What a build looks like after a change. */
export const applied = (doc: BuildDoc, change: Change): BuildDoc => ({
  ...doc,
  ...change.set,
  tail: [...(doc.tail ?? []), ...(change.say ?? [])],
});

/** The change plus the event that reports it: seq counts on, the record in it is the changed one. */
export function reported(doc: BuildDoc, change: Change, kind: string, at: Date, telling?: Telling): Change {
  const set = { ...change.set, seq: doc.seq + 1 };
  return { ...change, set, events: [buildEvent(applied(doc, { ...change, set }), kind, at, telling)] };
}

/** A build that cannot take this step any more: somebody else was first. */
export function demand(doc: BuildDoc, to: Build_Status): void {
  if (!from[to].includes(doc.status)) throw new Fault("conflict", `Build ${doc._id} can no longer become ${to}`);
}
