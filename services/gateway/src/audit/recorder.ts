import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Log } from "@ci/kit/process/log";
import { detached } from "@ci/kit/rpc/caller";
import { asFault } from "@ci/kit/rpc/fault";
import type { AuditServiceClient } from "@ci/proto/namespaces/v1/audit";
import type { NewEntry } from "./entry.js";

/** How long an entry may wait for others if no request waits for it. */
const soonMs = 100;
const retryMs = 1_000;
const maxBatch = 500;
/** Entries kept in memory while they cannot be stored. */
const maxHeld = fixedLimit({
  max: 10_000,
  about: "entries of the audit log that a process holds while they cannot be stored",
  effect: "the oldest outcomes are dropped, with a warning in the log",
});

type AuditClient = Pick<AuditServiceClient, "recordEntries">;

/** Stores entries of the audit log, many with one call, and logs those that have a status. */
export interface Recorder extends AsyncDisposable {
  /** Resolves once the entry is stored. If that fails, one with a status is kept and stored later. */
  store(entry: NewEntry): Promise<void>;
  /** Stores an entry within a moment, and retries until that succeeds. */
  storeSoon(entry: NewEntry): void;
}

/** An entry and when it was made. */
interface Made {
  readonly entry: NewEntry;
  readonly atMs: number;
}

interface Waiting extends Made {
  resolve(): void;
  reject(error: unknown): void;
}

/** Entries that are not stored yet. Requests wait for `urgent` ones; `send` sends a batch of both kinds. */
function entryQueue(client: AuditClient, log: Log) {
  const urgent: Waiting[] = [];
  const soon: Made[] = [];

  function hold(entries: readonly Made[]): void {
    soon.unshift(...entries);
    const dropped = soon.splice(0, Math.max(0, soon.length - maxHeld)).length;
    if (dropped > 0) log.error({ dropped }, "audit entries not stored");
  }

  const call = (entries: readonly Made[]) =>
    detached(() => {
      const now = performance.now();
      const aged = ({ entry, atMs }: Made) => ({ ...entry, ageMs: Math.floor(now - atMs) });
      return client.recordEntries({ entries: entries.map(aged) });
    });

  /** Sends entries one by one, so that one that is refused does not hold up the others. */
  async function sendEach(waiting: readonly Waiting[], others: readonly Made[]): Promise<void> {
    for (const one of waiting) await call([one]).then(() => one.resolve(), one.reject);
    for (const one of others)
      await call([one]).catch((err) => {
        if (asFault(err).code === "unavailable") hold([one]);
        else log.error({ err, id: one.entry.id }, "audit entry refused");
      });
  }

  /** Sends a batch; returns false if the store is away. */
  async function send(): Promise<boolean> {
    const waiting = urgent.splice(0, maxBatch);
    const others = soon.splice(0, maxBatch);
    try {
      await call([...waiting, ...others]);
      for (const one of waiting) one.resolve();
    } catch (error) {
      if (asFault(error).code === "unavailable") {
        // Entries that arrived meanwhile must not wait for another failure.
        const failed = [...waiting, ...urgent.splice(0)];
        const ended = failed.filter(({ entry }) => entry.status !== undefined);
        hold([...others, ...ended.map(({ entry, atMs }) => ({ entry, atMs }))]);
        for (const one of failed) one.reject(error);
        return false;
      }
      await sendEach(waiting, others);
    }
    return true;
  }

  return { urgent, soon, hold, send };
}

export function auditRecorder(client: AuditClient, log: Log): Recorder {
  const { urgent, soon, hold, send } = entryQueue(client, log);
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function made(entry: NewEntry): Made {
    if (entry.status !== undefined) log.info({ audit: entry }, "audit");
    return { entry, atMs: performance.now() };
  }

  async function sendAll(): Promise<void> {
    let isSent = true;
    do {
      // Requests of the same moment share a call.
      await new Promise(setImmediate);
      isSent = await send();
    } while (urgent.length > 0);
    running = undefined;
    if (soon.length > 0) timer ??= setTimeout(flush, isSent ? soonMs : retryMs);
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    running ??= sendAll();
  }

  return {
    store(entry) {
      return new Promise((resolve, reject) => {
        urgent.push({ ...made(entry), resolve, reject });
        if (!running) flush();
      });
    },
    storeSoon(entry) {
      soon.push(made(entry));
      hold([]);
      if (!running) timer ??= setTimeout(flush, soonMs);
    },
    async [Symbol.asyncDispose]() {
      await running;
      clearTimeout(timer);
      while (soon.length > 0 && (await send()));
    },
  };
}
