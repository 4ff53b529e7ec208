import { randomUUID } from "node:crypto";
import type { Senders } from "./store/senders.js";

/** A process is taken for dead when it has not been heard of for so long. */
const aliveMs = 4_000;
/** So long after it was last heard of, a process still relies on being known: a second less, for clocks that drift. */
const sureMs = aliveMs - 1_000;
/** How often a process says that it lives. */
export const beatEveryMs = 1_000;

/** This process among those that send. What it holds is its own while it lives, and free some seconds after its death. */
export interface Presence extends AsyncDisposable {
  readonly holder: string;
  /** Says that this process lives. */
  beat(): Promise<void>;
  /** Whether the others still take this process for alive. */
  sure(): boolean;
  /** Whether another process has died or stopped. */
  isGone(holder: string): Promise<boolean>;
}

/** Makes this process known. `lapsed` is called when others may be taking over what it holds. */
export async function presenceIn(senders: Senders, lapsed: () => void): Promise<Presence> {
  const holder = randomUUID();
  let sureUntilMs = 0;
  let lapse: NodeJS.Timeout | undefined;

  async function beat(): Promise<void> {
    const fromMs = performance.now();
    await senders.keep(holder, aliveMs);
    sureUntilMs = fromMs + sureMs;
    clearTimeout(lapse);
    lapse = setTimeout(lapsed, sureUntilMs - performance.now()).unref();
  }

  await beat();
  return {
    holder,
    beat,
    sure: () => performance.now() < sureUntilMs,
    isGone: senders.isGone,
    async [Symbol.asyncDispose]() {
      clearTimeout(lapse);
      await senders.forget(holder).catch(() => undefined);
    },
  };
}
