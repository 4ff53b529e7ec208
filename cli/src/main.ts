#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { exit } from "./exit.js";
import { run } from "./run.js";

const interrupted = new AbortController();
const stop = () => interrupted.abort();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, stop);

// If the reader closes the pipe, exit quietly.
let hangUp: () => void = () => process.exit(exit.done);
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  hangUp();
});

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};
const { stdin, stdout, stderr, env } = process;
process.exitCode = await run(process.argv.slice(2), {
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
