import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { isRoot } from "../user.js";
import type { Place } from "./keeper.js";

const timeoutMs = 30_000;

/** Runs a script on this host, if the runner is root. */
export async function runHere(script: string, path: string): Promise<void> {
  if (!isRoot()) throw new Error("The runner is not root");
  try {
    await promisify(execFile)("/bin/sh", ["-c", script], { env: { PATH: path }, timeout: timeoutMs });
  } catch (error) {
    const { stderr = "", message } = error as { stderr?: string } & Error;
    throw new Error(`iptables failed: ${stderr.trim() || message}`);
  }
}

/** The network namespace of the runner itself, which its child processes share. */
export const thisHost = (path: string): Place => ({ run: (script) => runHere(script, path), renewEveryMs: 60_000 });
