/// <reference types="jest" />
import { startAccounts } from "@ci/testkit/accounts";
import { suite } from "@ci/testkit/suite";
import fc from "fast-check";
import { anyCommand, type Command, steps } from "./model-commands.js";
import { clear, seen, settle, startWorld, type World } from "./model-world.js";

/** What has to happen in one world or another. The walk continues until it has. */
const outcomes = ["queued", "running", "passed", "passed_with_failures", "failed", "killed", "timed_out"];
const all = [...outcomes, "returned 2 times", "no attempts left"];
/** How long a shorter sequence is looked for that fails too. */
const mostShrinkingMs = 90_000;
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

async function live(world: World, commands: Iterable<Command>): Promise<void> {
  world.pairs = [];
  try {
    await fc.asyncModelRun(() => ({ model: {}, real: world }), commands);
    await settle(world);
  } catch (error) {
    await clear(world);
    throw error;
  }
}

/**
 * Takes at least this many random steps, and compares the service with the model after each. Call it once per file.
 * On a failure fast-check prints the seed and the path to the shortest sequence of steps it found; given to
 * `fc.assert` as `{ seed, path }` they repeat it.
 */
export const walk = (wanted: number) => async () => {
  let failedAt: number | undefined;
  const sequence = fc.commands([anyCommand], { maxCommands: 250, size: "max" });
  const property = fc.asyncProperty(fc.tuple(sequence, sequence, sequence), async (sequences) => {
    const seenAll = steps.count >= wanted && all.every((one) => seen.has(one));
    const enough = failedAt === undefined ? seenAll : performance.now() - failedAt > mostShrinkingMs;
    if (enough) return;
    // Each in a world of its own; while one waits the others go on.
    const lives = await Promise.allSettled(sequences.map((commands, n) => live(worlds[n]!, commands)));
    const wrong = lives.find((one) => one.status === "rejected");
    if (!wrong) return;
    failedAt ??= performance.now();
    throw wrong.reason;
  });
  await fc.assert(property, { numRuns: 1_000, endOnFailure: false });
  expect(steps.count).toBeGreaterThanOrEqual(wanted);
  expect([...seen]).toEqual(expect.arrayContaining(all));
};
