import type { JetStreamManager, NatsConnection } from "nats";
import { allowBatches } from "./jetstream.js";

/** Whether a stream takes batches. After an upgrade its keeper may start last, so services that do not keep it ask again. */
export interface BatchSupport {
  /** Returns what is known. While that is `false`, it asks again in the background, once per `askAgainMs` at most. */
  now(): boolean;
  refused(): void;
}

/** Batches of messages with ids came with NATS 2.12.1. */
function knowsBatches({ info }: NatsConnection): boolean {
  const [major = 0, minor = 0, patch = 0] = (info?.version ?? "").split(/[.-]/).map(Number);
  return major > 2 || (major === 2 && (minor > 12 || (minor === 12 && patch >= 1)));
}

/** Begins to find out whether a stream takes batches, and lets it if this service may. */
export function batchSupport(
  nats: NatsConnection,
  manager: JetStreamManager,
  { stream, askAgainMs }: { readonly stream: string; readonly askAgainMs: number },
): BatchSupport {
  const known = knowsBatches(nats);
  let supported = false;
  let nextAskMs = 0;

  function now(): boolean {
    if (!known || supported || performance.now() < nextAskMs) return supported;
    nextAskMs = performance.now() + askAgainMs;
    void allowBatches(manager, stream).then((answer) => {
      supported = answer;
    });
    return false;
  }

  now();
  return {
    now,
    refused() {
      supported = false;
      nextAskMs = performance.now() + askAgainMs;
    },
  };
}
