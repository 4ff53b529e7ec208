import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { deployDir } from "./_compose.js";

const cwd = join(deployDir, "../services/namespaces");
const commandOf = (name: string, args: readonly string[]) => [join(deployDir, "image", name), ...args];

/** Runs a script of deploy/image as in a container. */
export const imageScript = (name: string, args: readonly string[], env: NodeJS.ProcessEnv) =>
  promisify(execFile)(process.execPath, commandOf(name, args), { cwd, env });

/** Runs such a script until the returned object is disposed. */
export function runningScript(name: string, args: readonly string[], env: NodeJS.ProcessEnv): AsyncDisposable {
  const child = spawn(process.execPath, commandOf(name, args), { cwd, env, stdio: "inherit" });
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
