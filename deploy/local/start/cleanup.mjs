// Ends what a command has started, also when the command is interrupted.
import { constants } from "node:os";

const stops = /** @type {(() => unknown)[]} */ ([]);

/** Registers a function that `stopAll` will call. @param {() => unknown} stop */
export const onStop = (stop) => {
  stops.push(stop);
};

/** Calls the registered functions, the last one first. */
export const stopAll = async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
};

let interruption = /** @type {Promise<void> | undefined} */ (undefined);

/** @param {number} code */
const interrupt = async (code) => {
  console.log("\nStopping ...");
  await stopAll();
  process.exit(code);
};

/**
 * Stops everything in order at Ctrl-C and its like, then exits.
 * @param {boolean} [ends] whether the command ends by itself. If so, a signal makes it exit with 128 plus its number, otherwise with 0
 */
export const stopOnSignals = (ends = false) => {
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.once(signal, () => {
      interruption ??= interrupt(ends ? 128 + constants.signals[signal] : 0);
    });
};

/**
 * Runs a command to its end, stops everything and exits.
 * @param {() => Promise<number>} command returns the exit code
 */
export const runCommand = async (command) => {
  const code = await command().catch((/** @type {Error} */ error) => {
    if (!interruption) console.error(error.message);
    return 1;
  });
  await interruption;
  await stopAll();
  process.exit(code);
};
