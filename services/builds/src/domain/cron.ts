import { deletedScope, namespaceScope, userScope } from "@ci/access/record-scope";
import { type Outbox, type OutboxEvent, outboxEvent, type Stored } from "@ci/kit/mongo/document";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Cron } from "@ci/proto/builds/v1/crons";
import type { Action } from "@ci/proto/events/v1/events";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { nextRun } from "./schedule.js";
import { tagFrom } from "./tags.js";

interface Placement {
  readonly userId: number;
  readonly namespaceId?: number;
  /** The root of the namespace's tree, for the lists of collaborators. */
  readonly rootId?: number;
  /** The scope in which the name is unique. A deleted cron job has its own scope, so its name is free again. */
  readonly scope: string;
}

export interface CronDoc extends Omit<Stored<Cron>, "nextRun">, Omit<Placement, "userId" | "namespaceId">, Outbox {
  readonly nextRun: Date;
  /** The member who answers for the manifest; the user if absent. */
  readonly keeperId?: number;
  /** The number of changes. An update succeeds only if the stored revision is the one that was read. */
  readonly rev: number;
  /** When a loop claims the cron job: at the next run, or when its claim has expired. Absent if deleted. */
  readonly wakeAt?: Date;
  /** Search terms of the name; set by the store. */
  readonly terms?: readonly string[];
}

/** The fields to set. Undefined removes a field. */
export type CronChange = Partial<Omit<CronDoc, "_id" | "rev" | "outbox">>;

export const toCron = ({
  _id,
  scope,
  rootId,
  keeperId,
  rev,
  wakeAt,
  terms,
  outbox,
  deletedAt,
  ...cron
}: CronDoc): Cron => ({
  id: _id,
  ...cron,
});

/** Returns the placement of a cron job. In a namespace, it belongs to the namespace's owner. */
export const placementIn = (namespace: Namespace | undefined, userId: number): Placement =>
  namespace
    ? {
        userId: namespace.userId,
        namespaceId: namespace.id,
        rootId: namespace.rootId,
        scope: namespaceScope(namespace.id),
      }
    : { userId, scope: userScope(userId) };

const maxNameLength = fixedLimit({
  max: 255,
  about: "characters of the name of a cron job",
  refusal: "Name cannot be longer than N characters in length",
});

export function cronNameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  return [...name].length > maxNameLength ? [`Name cannot be longer than ${maxNameLength} characters in length`] : [];
}

/** The namespace that a manifest names; `namespace` is absent if it does not exist yet. */
export interface Destination {
  readonly name?: string;
  readonly namespace?: Namespace;
  /** The user whom the namespace belongs to, or will belong to. */
  readonly ownerId?: number;
  /** The namespaces above it that exist, the root first. */
  readonly ancestorIds?: readonly number[];
}

/** Reports whether the caller may move a cron job. Only its user may, and only to their own namespaces. */
export function mayMove(doc: CronDoc, { name, namespace }: Destination, callerId: number, username: string): boolean {
  const isNew = name !== undefined && !namespace;
  if (!isNew && namespace?.id === doc.namespaceId) return true;
  if (callerId !== doc.userId) return false;
  if (!isNew) return !namespace || namespace.userId === doc.userId;
  const at = name.indexOf("@");
  return at < 0 || name.slice(at + 1).toLowerCase() === username.toLowerCase();
}

export const isDue = (doc: CronDoc, now: Date): boolean => doc.nextRun <= now;

/** Returns the change after a run that submitted a build. One build replaces all missed runs. */
export function afterRun(doc: CronDoc, at: Date): CronChange {
  const next = runAfter(doc, at);
  return { prevRun: at, nextRun: next, wakeAt: next, lastError: undefined };
}

export function afterFailure(doc: CronDoc, at: Date, lastError: string): CronChange {
  const next = runAfter(doc, at);
  return { nextRun: next, wakeAt: next, lastError };
}

/** Returns the time of the run after the due one, even if the clock was set back. */
const runAfter = (doc: CronDoc, at: Date): Date => nextRun(doc, at > doc.nextRun ? at : doc.nextRun);

/** Returns the change that deletes a cron job. The document stays until its event is published. */
export const asDeleted = (doc: CronDoc, at: Date): CronChange => ({
  deletedAt: at,
  scope: deletedScope(doc._id),
  wakeAt: undefined,
});

export const runTag = (name: string, length: number): string => tagFrom(`cron:${name.replaceAll(" ", "-")}`, length);

export const runComment = (doc: CronDoc, at: Date): string =>
  `${doc.name}: Scheduled build, next run ${runAfter(doc, at).toISOString()}`;

export const manualRunComment = (doc: CronDoc, username: string): string => `${doc.name}: Run by ${username}`;

export interface Act {
  readonly at: Date;
  readonly actorId?: number;
}

/** Returns an event about a cron job. With `nobody`, webhooks do not receive it: the namespace is deleted too. */
export const cronEvent = (
  doc: CronDoc,
  action: Action,
  { at, actorId }: Act,
  audience: "namespace" | "nobody" = "namespace",
): OutboxEvent =>
  outboxEvent({
    kind: "cron",
    at,
    actorId,
    namespaceId: audience === "namespace" ? doc.namespaceId : undefined,
    body: { $case: "cron", value: { action, cron: toCron(doc) } },
  });
