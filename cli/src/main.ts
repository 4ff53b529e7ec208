#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { exit } from "./exit.js";
import { run } from "./run.js";

const interrupted = new AbortController();
const stop = () => interrupted.abort();
process.once("SIGINT", stop).once("SIGTERM", stop);

// A reader that closes its pipe has read enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(exit.done);
  throw error;
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
  version,
});
