import { Event } from "@ci/proto/events/v1/events";
import type { BuildDoc } from "./build.js";
import { buildEvent } from "./change.js";
import { renumberedEntry } from "./entry.js";
import { setupStage } from "./plan.js";

/** Returns a build that nobody has seen yet with another number, also in its stages and events. */
export function renumbered(doc: BuildDoc, number: number): BuildDoc {
  const jobs = doc.jobs.map((job) =>
    job.stage === setupStage(doc.number) ? { ...job, stage: setupStage(number) } : job,
  );
  const auditEntry = doc.auditEntry && renumberedEntry(doc.auditEntry, number);
  const after = { ...doc, number, jobs, auditEntry };
  const outbox = doc.outbox.map(({ kind, at, json, trail }) => {
    const { actorId, body } = Event.fromJSON(JSON.parse(json));
    const queue = body?.$case === "build" ? body.value.queue : undefined;
    return { ...buildEvent(after, kind, at, { actorId, queue }), trail };
  });
  return { ...after, outbox };
}
