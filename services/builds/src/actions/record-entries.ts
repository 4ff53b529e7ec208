import type { RecordEntry } from "@ci/kit/mongo/outbox-batch";
import { batched } from "@ci/kit/process/batch";
import type { Log } from "@ci/kit/process/log";
import { detached } from "@ci/kit/rpc/caller";
import { asFault } from "@ci/kit/rpc/fault";
import type { AuditEntry, AuditServiceClient } from "@ci/proto/namespaces/v1/audit";
import { readEntry } from "../domain/entry.js";

interface Aged {
  readonly entry: AuditEntry;
  readonly at: Date;
}

interface Recording {
  readonly client: Pick<AuditServiceClient, "recordEntries">;
  readonly log: Log;
  now(): Date;
}

const limits = { maxItems: 500, waitMs: 100 };

/** Returns a function that stores the entries of new builds, those of a tenth of a second with one call. */
export function entryRecorder({ client, log, now }: Recording): RecordEntry {
  const send = (all: readonly Aged[]) =>
    detached(() => {
      const aged = ({ entry, at }: Aged) => ({ ...entry, ageMs: Math.max(0, now().getTime() - at.getTime()) });
      return client.recordEntries({ entries: all.map(aged) });
    });

  /** Returns why entries could not be stored now, or undefined. */
  async function sendAll(all: readonly Aged[]): Promise<unknown> {
    try {
      await send(all);
      return undefined;
    } catch (err) {
      if (asFault(err).code === "unavailable") {
        log.warn({ err, entries: all.length }, "audit entries not stored; the next sweep will retry them");
        return err;
      }
      if (all.length > 1) throw err;
      log.error({ err, audit: all[0]!.entry }, "audit entry refused");
      return undefined;
    }
  }

  const store = batched<Aged, unknown>(limits, async (all) => {
    const failure = await sendAll(all);
    return all.map(() => failure);
  });
  return async ({ entry: json, at }) => {
    const entry = readEntry(json!);
    const failure = await store({ entry, at });
    if (failure) throw failure;
    // The gateway logs the requests.
    if (entry.actor !== "user") log.info({ audit: entry }, "audit");
  };
}
