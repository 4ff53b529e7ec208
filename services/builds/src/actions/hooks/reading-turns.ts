import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { Fault } from "@ci/kit/rpc/fault";
import { type Fairly, fairly } from "@ci/kit/turns/fairly";
import type { Config } from "../../config.js";
import type { Context } from "../../context.js";

const refusal = "Too many requests";
const maxReadings = fixedLimit({
  max: 8,
  about: "commits of repositories that a process reads at a time",
  effect: "further ones wait; one user gets half of these",
});
const maxReadingBytes = fixedLimit({
  max: 384 * 1024 ** 2,
  unit: "bytes",
  about: "memory of the commits that a process reads at a time, each of which may take three times HOOK_READ_LIMIT",
  effect: "fewer are read at a time, but at least two",
});
/** With less than two, one user's would hold up all others. */
const minReadings = 2;
const maxWaiting = fixedLimit({
  max: 16,
  about: "commits of one user that wait to be read",
  refusal,
  effect: "hook deliveries are tried again later",
});

/** Limits the commits that are read at a time, because each takes memory. */
export function readingTurns({ hookReadBytes }: Pick<Config, "hookReadBytes">): Fairly<number> {
  const fitting = Math.floor(maxReadingBytes / (3 * hookReadBytes));
  return fairly(Math.max(minReadings, Math.min(maxReadings, fitting)), maxWaiting, refusal);
}

export const isBusy = (error: unknown): boolean => error instanceof Fault && error.code === "exhausted";

/** Runs a task when its turn comes. `maxMs` includes the wait. Throws Fault `exhausted` if the turn comes too late. */
export function inReadingTurnWithin<T>(
  { inReadingTurn }: Pick<Context, "inReadingTurn">,
  userId: number,
  maxMs: number,
  signal: AbortSignal,
  task: (leftMs: number) => Promise<T>,
): Promise<T> {
  const from = performance.now();
  const over = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
  return inReadingTurn(userId, () => task(Math.max(1, Math.ceil(maxMs - (performance.now() - from)))), over);
}
