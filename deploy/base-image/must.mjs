import { lastLine, run } from "../local/provision/machine.mjs";

/**
 * Runs a program and throws if it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @throws {Error} with the program's error
 */
export const must = async (command, args, options) => {
  const done = await run(command, args, options);
  if (done.code !== 0) throw new Error(`${command} failed: ${complaint(done.stderr) || `exit code ${done.code}`}`);
  return done;
};

/** Returns the most useful line: the first one marked as an error, or the last one. @param {string} text */
const complaint = (text) => /^(?:E|error): .*/im.exec(text)?.[0] ?? lastLine(text);
