// Ends what a command has started, also when the command is interrupted.

const stops = /** @type {(() => unknown)[]} */ ([]);

/** Registers a function that `stopAll` will call. @param {() => unknown} stop */
export const onStop = (stop) => {
  stops.push(stop);
};

/** Calls the registered functions, the last one first. */
export const stopAll = async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
};

/** Stops everything in order at Ctrl-C and its like, then exits with code 0. */
export const stopOnSignals = () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.once(signal, async () => {
      console.log("\nStopping ...");
      await stopAll();
      process.exit(0);
    });
};

/**
 * Runs a command to its end, stops everything and exits.
 * @param {() => Promise<number>} command returns the exit code
 */
export const runCommand = async (command) => {
  const code = await command().catch((/** @type {Error} */ error) => {
    console.error(error.message);
    return 1;
  });
  await stopAll();
  process.exit(code);
};
