import { type OutboxEvent, outboxEvent, requireOutboxRoom, sharingText } from "@ci/kit/mongo/document";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault } from "@ci/kit/rpc/fault";
import type { Build, Build_Status, QueuePlace } from "@ci/proto/builds/v1/builds";
import type { Event } from "@ci/proto/events/v1/events";
import { type BuildDoc, type Chunk, previousStatuses } from "./build.js";
import { toShortBuild } from "./shown-build.js";
import { grownTail } from "./tail.js";

/** One atomic write to a build. A field that is set to undefined is removed. */
export interface Change {
  readonly set: Partial<Omit<BuildDoc, "_id" | "rev" | "outbox" | "tail">>;
  /** The lease ends this long after the write, by the clock of MongoDB. */
  readonly leaseMs?: number;
  readonly output?: readonly Chunk[];
  readonly events?: readonly OutboxEvent[];
}

/** Optional parts of an event: the actor, the place in the queue, or another body. */
interface EventDetails {
  readonly actorId?: number;
  readonly queue?: QueuePlace;
  readonly body?: (build: Build) => Event["body"];
}

export function buildEvent(
  doc: BuildDoc,
  kind: string,
  at: Date,
  { actorId, queue, body }: EventDetails = {},
): OutboxEvent {
  return sharingText("manifest", doc.manifest, (manifest) => {
    const build = { ...toShortBuild(doc, queue), manifest };
    return outboxEvent({
      kind,
      at,
      actorId,
      namespaceId: doc.namespaceId,
      buildId: doc._id,
      seq: doc.seq,
      body: body ? body(build) : { $case: "build", value: build },
    });
  });
}

/** Appends text to the output of a build and, with `job`, of that job. */
export function addOutput(
  doc: BuildDoc,
  text: string,
  at: Date,
  job?: number,
): Required<Pick<Change, "set" | "output">> {
  if (text === "") return { set: {}, output: [] };
  const bytes = Buffer.byteLength(text);
  const jobStart = job === undefined ? undefined : doc.jobs[job]!.outputBytes;
  const jobs = doc.jobs.map((one, index) => (index === job ? { ...one, outputBytes: one.outputBytes + bytes } : one));
  return {
    set: { outputBytes: doc.outputBytes + bytes, ...(job === undefined ? {} : { jobs }) },
    output: [{ job, start: doc.outputBytes, jobStart, bytes, text, at }],
  };
}

export function applyChange(doc: BuildDoc, { set, output }: Change): BuildDoc {
  const after = { ...doc, ...set };
  return { ...after, tail: grownTail(after, output) };
}

/** Returns two changes as one. The second is based on the build after the first. */
export const joined = (first: Change, second: Change): Change => ({
  ...first,
  ...second,
  set: { ...first.set, ...second.set },
  output: [...(first.output ?? []), ...(second.output ?? [])],
  events: [...(first.events ?? []), ...(second.events ?? [])],
});

/** Adds an event to a change, with the next `seq` and the changed record. */
export function withEvent(doc: BuildDoc, change: Change, kind: string, at: Date, details?: EventDetails): Change {
  const set = { ...change.set, seq: doc.seq + 1 };
  return { ...change, set, events: [buildEvent(applyChange(doc, { ...change, set }), kind, at, details)] };
}

const maxWaitingBytes = fixedLimit({
  max: 2 * 1024 ** 2,
  unit: "bytes",
  about: "events of one build that wait for NATS; each counts as its text plus 400 bytes",
  refusal: "Service unavailable",
  effect: "503 for pins and tags; the build goes on",
});

/** Throws `unavailable` if so many events of the build wait to be published that users may not add to them. */
export const requireEventRoom = (doc: BuildDoc): void => requireOutboxRoom(doc, maxWaitingBytes);

/** Throws `conflict` if the build can no longer enter this status. */
export function requireTransition(doc: BuildDoc, to: Build_Status): void {
  if (!previousStatuses[to].includes(doc.status))
    throw new Fault("conflict", `Build ${doc._id} can no longer become ${to}`);
}

/** Throws `conflict` if the runner has lost the build. A build that this runner finished is not lost. */
export function requireEpoch(doc: BuildDoc, epoch: number): void {
  if (doc.epoch !== epoch || doc.status === "queued")
    throw new Fault("conflict", `Build ${doc._id} is no longer held under epoch ${epoch}`);
}

/** Throws `conflict` unless the build is running under this epoch. */
export function requireHeld(doc: BuildDoc, epoch: number): void {
  requireEpoch(doc, epoch);
  if (doc.status !== "running") throw new Fault("conflict", `Build ${doc._id} is over`);
}
