import type { Document, UpdateFilter } from "mongodb";
import type { BuildDoc } from "../domain/build.js";
import type { Change } from "../domain/change.js";
import { termsOfTags } from "./selection.js";

/** Returns an expression for the end of a lease that starts now, by the clock of MongoDB. */
export const leaseEnd = (leaseMs: number) => ({ $add: ["$$NOW", leaseMs] });

/** Returns a change with a lease as a pipeline, because only a pipeline can read the clock of MongoDB. */
function toPipeline(
  set: object,
  removed: readonly string[],
  { output = [], events = [], leaseMs }: Change,
): Document[] {
  const values = Object.entries(set).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, { $literal: value }]],
  );
  const appended = (field: string, more: readonly unknown[]) => ({ $concatArrays: [`$${field}`, { $literal: more }] });
  const lists = { tail: appended("tail", output), outbox: appended("outbox", events) };
  return [
    { $set: { ...Object.fromEntries(values), ...lists } },
    { $set: { "lease.until": leaseEnd(leaseMs!) } },
    ...(removed.length > 0 ? [{ $unset: removed }] : []),
  ];
}

export function toUpdate(doc: BuildDoc, change: Change): UpdateFilter<BuildDoc> | Document[] {
  const { set: given, output = [], events = [] } = change;
  const set = given.tags ? { ...given, tagTerms: termsOfTags(given.tags) } : given;
  const removed = Object.entries(set).filter(([, value]) => value === undefined);
  if (change.leaseMs !== undefined)
    return toPipeline(
      { ...set, rev: doc.rev + 1 },
      removed.map(([key]) => key),
      change,
    );
  const push = {
    ...(output.length > 0 ? { tail: { $each: output } } : {}),
    ...(events.length > 0 ? { outbox: { $each: events } } : {}),
  };
  return {
    $set: { ...set, rev: doc.rev + 1 },
    ...(removed.length > 0 ? { $unset: Object.fromEntries(removed.map(([key]) => [key, true])) as never } : {}),
    ...(Object.keys(push).length > 0 ? { $push: push as never } : {}),
  };
}
