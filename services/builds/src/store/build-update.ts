import type { OutboxEvent } from "@ci/kit/mongo/document";
import { inMs, literals, undefinedIn } from "@ci/kit/mongo/expressions";
import type { Document, Filter, UpdateFilter } from "mongodb";
import type { BuildDoc } from "../domain/build.js";
import type { Change } from "../domain/change.js";
import { growthOf } from "../domain/tail.js";
import { searchedBy } from "./selection.js";

interface Update {
  readonly set: object;
  readonly removed: readonly string[];
  readonly growth: ReturnType<typeof growthOf>;
  readonly events: readonly OutboxEvent[];
}

/** Returns an update as a pipeline: only that can read the clock of MongoDB, and replace a piece while it adds others. */
function toPipeline({ set, removed, growth: { extended, added }, events }: Update, leaseMs?: number): Document[] {
  const others = extended && { $filter: { input: "$tail", cond: { $ne: ["$$this.start", extended.start] } } };
  const appended = (list: unknown, more: readonly unknown[]) => ({ $concatArrays: [list, { $literal: more }] });
  const lists = {
    tail: appended(others ?? "$tail", extended ? [extended, ...added] : added),
    outbox: appended("$outbox", events),
  };
  return [
    { $set: { ...literals(set), ...lists } },
    ...(leaseMs === undefined ? [] : [{ $set: { "lease.until": inMs(leaseMs) } }]),
    ...(removed.length > 0 ? [{ $unset: removed }] : []),
  ];
}

const growthBy = (doc: BuildDoc, { set, output }: Change) => growthOf({ ...doc, ...set }, output);

/** Matches the build if it has the revision that a change is based on, and the piece that the change extends. */
export function toFilter(doc: BuildDoc, change: Change): Filter<BuildDoc> {
  const { extended } = growthBy(doc, change);
  return { _id: doc._id, rev: doc.rev, ...(extended ? { "tail.start": extended.start } : {}) };
}

const recordLists = ["artifacts", "jobs"] as const;

/** Replaces a list by its only new or changed element. Only writes that raise the revision move elements. */
function onlyChanged(doc: BuildDoc, set: Change["set"]): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...set };
  for (const key of recordLists) {
    const [before, after] = [doc[key], set[key]];
    if (!after || after.length < before.length) continue;
    const isNew = (element: unknown, at: number) => element !== before[at];
    const first = after.findIndex(isNew);
    if (first < 0 || first !== after.findLastIndex(isNew)) continue;
    delete fields[key];
    fields[`${key}.${first}`] = after[first];
  }
  return fields;
}

export function toUpdate(doc: BuildDoc, change: Change): UpdateFilter<BuildDoc> | Document[] {
  const { set: given, events = [], leaseMs } = change;
  const set = { ...given, ...(given.tags ? searchedBy(given.tags) : {}), rev: doc.rev + 1 };
  const removed = undefinedIn(set);
  const growth = growthBy(doc, change);
  const { extended, added } = growth;
  if (leaseMs !== undefined || (extended && added.length > 0))
    return toPipeline({ set, removed, growth, events }, leaseMs);
  const push = {
    ...(added.length > 0 ? { tail: { $each: added } } : {}),
    ...(events.length > 0 ? { outbox: { $each: events } } : {}),
  };
  return {
    // The position is that of the piece which the filter matches.
    $set: { ...onlyChanged(doc, set), ...(extended ? { "tail.$": extended } : {}) },
    ...(removed.length > 0 ? { $unset: Object.fromEntries(removed.map((key) => [key, true])) as never } : {}),
    ...(Object.keys(push).length > 0 ? { $push: push as never } : {}),
  };
}
