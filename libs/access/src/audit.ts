import type { Log } from "@ci/kit/process/log";
import { detached } from "@ci/kit/rpc/caller";

/** How long an entry that nobody waits for may wait for others. */
const soonMs = 20;
const retryMs = 1_000;
const maxBatch = 500;
/** Entries kept in memory while they cannot be stored. */
const maxHeld = 10_000;

interface Entry {
  readonly id: string;
  readonly status?: number | undefined;
}

interface AuditClient<E> {
  recordEntries(request: { readonly entries: readonly E[] }): Promise<unknown>;
}

/** Stores entries of the audit log, many with one call, and logs those that have a status. */
export interface Recorder<E> extends AsyncDisposable {
  /** Resolves once the entry is stored. */
  store(entry: E): Promise<void>;
  /** Stores an entry within milliseconds, and retries until that succeeds. */
  storeSoon(entry: E): void;
}

interface Waiting<E> {
  readonly entry: E;
  resolve(): void;
  reject(error: unknown): void;
}

export function auditRecorder<E extends Entry>(client: AuditClient<E>, log: Log): Recorder<E> {
  const urgent: Waiting<E>[] = [];
  const soon: E[] = [];
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const note = (entry: E) => {
    if (entry.status !== undefined) log.info({ audit: entry }, "audit");
  };

  function hold(entries: readonly E[]): void {
    soon.unshift(...entries);
    const dropped = soon.splice(0, Math.max(0, soon.length - maxHeld)).length;
    if (dropped > 0) log.error({ dropped }, "audit entries not stored");
  }

  async function send(): Promise<boolean> {
    const waiting = urgent.splice(0, maxBatch);
    const others = soon.splice(0, maxBatch);
    try {
      await detached(() => client.recordEntries({ entries: [...waiting.map(({ entry }) => entry), ...others] }));
      for (const one of waiting) one.resolve();
      return true;
    } catch (error) {
      for (const one of waiting) one.reject(error);
      hold(others);
      return false;
    }
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
      note(entry);
      return new Promise((resolve, reject) => {
        urgent.push({ entry, resolve, reject });
        if (!running) flush();
      });
    },
    storeSoon(entry) {
      note(entry);
      soon.push(entry);
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
