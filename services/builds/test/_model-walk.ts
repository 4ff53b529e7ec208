/// <reference types="jest" />
import { startAccounts } from "@ci/testkit/accounts";
import { suite } from "@ci/testkit/suite";
import fc from "fast-check";
import { anyCommand, type Command, steps } from "./_model-commands.js";
import { endBuilds, reachedOutcomes, settle, startWorld, type World } from "./_model-world.js";

const statuses = ["queued", "running", "passed", "passed_with_failures", "failed", "killed", "timed_out"];
/** All outcomes of a build. Some take thousands of steps to reach. */
export const allOutcomes = [
  ...statuses,
  "returned 2 times",
  "no attempts left",
  "ended by its verdict",
  "side by side",
  "a job ran after a failure",
];
/** Time for finding a shorter sequence that fails too. */
const maxShrinkingMs = 90_000;
const names = suite();
const stops: (() => PromiseLike<void>)[] = [];
let worlds: World[];

beforeAll(async () => {
  const accounts = await startAccounts(names);
  stops.push(() => accounts[Symbol.asyncDispose]());
  worlds = await Promise.all(["left", "right", "far"].map((name) => startWorld(names, accounts, name)));
  for (const world of worlds) stops.unshift(() => world[Symbol.asyncDispose]());
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

async function runSequence(world: World, commands: Iterable<Command>): Promise<void> {
  world.pairs = [];
  try {
    await fc.asyncModelRun(() => ({ model: {}, real: world }), commands);
    await settle(world);
  } catch (error) {
    await endBuilds(world);
    throw error;
  }
}

/**
 * Takes at least this many random steps, and more until builds of any world have reached these outcomes. Compares the
 * service with the model after each step. Call it once per file.
 * After a failure, fast-check prints a seed and a path. `fc.assert` with `{ seed, path }` repeats the shortest sequence
 * that failed.
 */
export const walk = (minSteps: number, outcomes: readonly string[]) => async () => {
  let failedAt: number | undefined;
  const sequence = fc.commands([anyCommand], { maxCommands: 250, size: "max" });
  const property = fc.asyncProperty(fc.tuple(sequence, sequence, sequence), async (sequences) => {
    const isDone = steps.count >= minSteps && outcomes.every((one) => reachedOutcomes.has(one));
    const enough = failedAt === undefined ? isDone : performance.now() - failedAt > maxShrinkingMs;
    if (enough) return;
    // Each sequence runs in its own world. While one waits, the others continue.
    const runs = await Promise.allSettled(sequences.map((commands, n) => runSequence(worlds[n]!, commands)));
    const failure = runs.find((one) => one.status === "rejected");
    if (!failure) return;
    failedAt ??= performance.now();
    throw failure.reason;
  });
  await fc.assert(property, { numRuns: 1_000, endOnFailure: false });
  expect(steps.count).toBeGreaterThanOrEqual(minSteps);
  expect([...reachedOutcomes]).toEqual(expect.arrayContaining([...outcomes]));
};
