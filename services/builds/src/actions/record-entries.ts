import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Log } from "@ci/kit/process/log";
import { detached } from "@ci/kit/rpc/caller";
import { asFault } from "@ci/kit/rpc/fault";
import { batched } from "@ci/kit/turns/batch";
import type { AuditServiceClient } from "@ci/proto/namespaces/v1/audit";
import { readEntry } from "../domain/entry.js";
import type { BuildStore } from "../store/builds.js";
import type { Unrecorded } from "../store/unrecorded-builds.js";
import { ownTask } from "./own-task.js";

const batch = { maxItems: 500, waitMs: 100 };
/** The process that stored a build needs less, unless the namespaces service is away. */
const lateMs = 10_000;
const maxWaiting = fixedLimit({
  max: 10_000,
  about: "audit entries of new builds that a process holds for the namespaces service",
  effect: "further ones are read from MongoDB when that service is back",
});

interface Recording {
  readonly client: Pick<AuditServiceClient, "recordEntries">;
  readonly builds: Pick<BuildStore, "unrecorded" | "recorded">;
  readonly tasks: Set<Promise<void>>;
  readonly log: Log;
  now(): Date;
}

/** Moves the entries that new builds hold into the audit log. */
export function entryRecorder({ client, builds, tasks, log, now }: Recording) {
  async function move(held: readonly Unrecorded[]): Promise<void> {
    const ageMs = ({ createdAt }: Unrecorded) => Math.max(0, now().getTime() - createdAt!.getTime());
    const entries = held.map((build) => ({ ...readEntry(build.auditEntry!), ageMs: ageMs(build) }));
    await detached(() => client.recordEntries({ entries }));
    // The gateway logs the requests.
    for (const audit of entries) if (audit.actor !== "user") log.info({ audit }, "audit");
    await builds.recorded(held.map(({ _id }) => _id));
  }

  const moveSoon = batched<Unrecorded, void>(batch, async (held) => {
    const failed = (err: unknown) =>
      log.warn({ err, entries: held.length }, "audit entries not stored; a loop will retry it");
    await move(held).catch(failed);
    return held.map(() => undefined);
  });

  /** Moves entries one by one if they cannot be moved together, so that one that is refused does not hold up the others. */
  async function moveEach(held: readonly Unrecorded[]): Promise<void> {
    try {
      await move(held);
    } catch (err) {
      if (asFault(err).code === "unavailable") throw err;
      if (held.length > 1) for (const one of held) await moveEach([one]);
      else log.error({ err, build: held[0]!._id }, "audit entry refused");
    }
  }

  let waiting = 0;
  return {
    /** Moves the entries of builds that were just stored, those of a tenth of a second with one call. */
    record(docs: readonly Unrecorded[]): void {
      for (const { _id, createdAt, auditEntry } of docs) {
        if (!auditEntry || waiting >= maxWaiting) continue;
        waiting++;
        const task = moveSoon({ _id, createdAt, auditEntry }).finally(() => void waiting--);
        void ownTask({ tasks }, task);
      }
    },

    /** Moves the entries that another process, or a failure, has left. Returns how many there were. */
    async recordLeft(): Promise<number> {
      let found = 0;
      let held: Unrecorded[] = [];
      for await (const build of builds.unrecorded(new Date(now().getTime() - lateMs))) {
        held.push(build);
        found++;
        if (held.length < batch.maxItems) continue;
        await moveEach(held);
        held = [];
      }
      if (held.length > 0) await moveEach(held);
      return found;
    },
  };
}

export type EntryRecorder = ReturnType<typeof entryRecorder>;
