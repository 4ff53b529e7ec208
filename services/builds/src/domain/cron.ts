import { type Outbox, type OutboxEvent, outboxEvent, type Stored } from "@ci/kit/mongo/document";
import type { Cron } from "@ci/proto/builds/v1/crons";
import type { Action } from "@ci/proto/events/v1/events";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { nextRun } from "./schedule.js";

/** Whose a cron job is, and where its builds go. */
export interface Place {
  readonly userId: number;
  readonly namespaceId?: number;
  /** For the lists of those who collaborate there. */
  readonly rootId?: number;
  /** Where its name is unique; what is deleted has a scope of its own. */
  readonly scope: string;
}

/** A cron job as it is kept. */
export interface CronDoc extends Omit<Stored<Cron>, "nextRun">, Omit<Place, "userId" | "namespaceId">, Outbox {
  readonly nextRun: Date;
  /** Counts the changes; a change is written only onto the revision it was made from. */
  readonly rev: number;
  /**
   * When it is looked after next: at the next run; and while somebody makes its build, when that has taken too long to
   * be true. Deleted ones have none.
   */
  readonly wakeAt?: Date;
  /** What it is found by when its name is searched for; the store makes them. */
  readonly terms?: readonly string[];
}

/** What a change sets; a field that is set to undefined is removed. */
export type CronChange = Partial<Omit<CronDoc, "_id" | "rev" | "outbox">>;

/** The public record of a stored cron job. */
export const toCron = ({ _id, scope, rootId, rev, wakeAt, terms, outbox, deletedAt, ...cron }: CronDoc): Cron => ({
  id: _id,
  ...cron,
});

/** The scope of what is in a namespace. */
export const namespaceScope = (namespaceId: number): string => `n${namespaceId}`;

/** The place in a namespace, which is its owner's, or without one. */
export const placeIn = (namespace: Namespace | undefined, userId: number): Place =>
  namespace
    ? {
        userId: namespace.userId,
        namespaceId: namespace.id,
        rootId: namespace.rootId,
        scope: namespaceScope(namespace.id),
      }
    : { userId, scope: `u${userId}` };

const longestName = 255;

/** What is wrong with a name. */
export function cronNameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  return [...name].length > longestName ? [`Name cannot be longer than ${longestName} characters in length`] : [];
}

/** A namespace as a manifest names it, and the one that is; absent while it does not exist. */
export interface Destination {
  readonly name?: string;
  readonly namespace?: Namespace;
}

/**
 * Whether a manifest may send a cron job where it says. It may stay where it is; only its user, whose username is
 * given, may send it elsewhere, and only to what is the user's own.
 */
export function mayMove(doc: CronDoc, { name, namespace }: Destination, caller: number, username: string): boolean {
  const isNew = name !== undefined && !namespace;
  if (!isNew && namespace?.id === doc.namespaceId) return true;
  if (caller !== doc.userId) return false;
  if (!isNew) return !namespace || namespace.userId === doc.userId;
  const at = name.indexOf("@");
  return at < 0 || name.slice(at + 1).toLowerCase() === username.toLowerCase();
}

/** Whether its next run is due. */
export const isDue = (doc: CronDoc, now: Date): boolean => doc.nextRun <= now;

/** A run of it has made a build at this time. All runs that were missed until then are made up for. */
export function ran(doc: CronDoc, at: Date): CronChange {
  const next = runAfter(doc, at);
  return { prevRun: at, nextRun: next, wakeAt: next, lastError: undefined };
}

/** A run of it could make no build at this time. */
export function failed(doc: CronDoc, at: Date, lastError: string): CronChange {
  const next = runAfter(doc, at);
  return { nextRun: next, wakeAt: next, lastError };
}

/** The run that follows the due one, also by a clock that was set back meanwhile. */
const runAfter = (doc: CronDoc, at: Date): Date => nextRun(doc.schedule, at > doc.nextRun ? at : doc.nextRun);

/** It is gone for everybody but the relay. */
export const gone = (doc: CronDoc, at: Date): CronChange => ({
  deletedAt: at,
  scope: `gone${doc._id}`,
  wakeAt: undefined,
});

/** The tag that builds of a cron job carry, of at most `length` characters. */
export const runTag = (name: string, length: number): string =>
  [...`cron:${name.replaceAll(" ", "-")}`].slice(0, length).join("");

/** What the trigger of a build that is made at this time says. */
export const runComment = (doc: CronDoc, at: Date): string =>
  `${doc.name}: Scheduled build, next run ${runAfter(doc, at).toISOString()}`;

/** When and by whom something is done; absent for acts of the service. */
export interface Act {
  readonly at: Date;
  readonly actorId?: number;
}

/** The event about a cron job as the change leaves it. Told to no webhook when its namespace is gone, too. */
export const cronEvent = (
  doc: CronDoc,
  action: Action,
  { at, actorId }: Act,
  toldTo: "namespace" | "nobody" = "namespace",
): OutboxEvent =>
  outboxEvent({
    kind: "cron",
    at,
    actorId,
    namespaceId: toldTo === "namespace" ? doc.namespaceId : undefined,
    body: { $case: "cron", value: { action, cron: toCron(doc) } },
  });
