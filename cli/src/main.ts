#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { exit } from "./exit.js";
import { run } from "./run.js";

const interrupted = new AbortController();
const stop = () => interrupted.abort();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, stop);

// If the reader closes the pipe, exit quietly.
let isUnwritable = false;
let hangUp: () => void = () => process.exit(isUnwritable ? exit.failed : exit.done);
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code !== "EPIPE" && !isUnwritable) {
    isUnwritable = true;
    process.stderr.write(`The output cannot be written: ${message}\n`);
  }
  hangUp();
});
// Go on without notes if nobody reads them.
process.stderr.on("error", () => {});

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
const { stdin, stdout, stderr, env } = process;
const code = await run(process.argv.slice(2), {
  stdin,
  stdout,
  stderr,
  env,
  signal: interrupted.signal,
  onHangUp: (listener) => {
    hangUp = listener;
  },
  version,
});
process.exitCode = isUnwritable ? exit.failed : code;
