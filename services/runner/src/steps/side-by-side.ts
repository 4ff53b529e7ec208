import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { limited } from "@ci/kit/turns/limited";
import { Ended } from "../endings/ended.js";

/** SSH servers accept ten sessions on a connection, and jobs are not the only ones that need one. */
const maxAtOnce = fixedLimit({
  max: 8,
  about: "jobs of a parallel stage that run at the same time",
  effect: "further ones wait until one has ended",
});

/** Runs all, even if some fail. If one throws, ends the others and throws its error. */
export async function sideBySide<T, R>(
  all: readonly T[],
  signal: AbortSignal,
  run: (one: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  if (all.length === 1) return [await run(all[0]!, signal)];
  const inTurn = limited(maxAtOnce);
  const broken = new AbortController();
  const either = AbortSignal.any([signal, broken.signal]);
  let first: { error: unknown } | undefined;
  const running = all.map((one) =>
    inTurn(() => run(one, either)).catch((error) => {
      first ??= { error };
      broken.abort(new Ended("lost"));
      throw error;
    }),
  );
  const ended = await Promise.allSettled(running);
  if (first) throw first.error;
  return ended.map((one) => (one as PromiseFulfilledResult<R>).value);
}
