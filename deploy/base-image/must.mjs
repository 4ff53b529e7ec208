import { lastLine, run } from "../local/provision/machine.mjs";

/**
 * Runs a program that has to do what it is told.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @throws {Error} with the last that it said
 */
export const must = async (command, args, options) => {
  const done = await run(command, args, options);
  if (done.code !== 0) throw new Error(`${command} failed: ${complaint(done.stderr) || `exit code ${done.code}`}`);
  return done;
};

/** What tells most: the first line that calls itself an error, else the last one. @param {string} text */
const complaint = (text) => /^(?:E|error): .*/im.exec(text)?.[0] ?? lastLine(text);
