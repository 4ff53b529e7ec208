import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Driver, Environment } from "@ci/runner/driver";
import type { Emit } from "./events.js";
import { Refused } from "./refused.js";

/** Throws Refused if files are already there. */
export async function requireEmpty(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new Refused(`${folder} cannot be used: ${error.message}`);
  });
  if (found.length > 0) throw new Refused(`${folder} is not empty. Name another folder, or remove what is in it`);
}

/** Copies the working directory. The archive may be hostile, so tar follows no names and links that lead out of it. */
async function copyFiles({ trees }: Environment, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for await (const { content } of trees.read(["."], new AbortController().signal)) {
    const options = ["--strip-components=1", "--no-same-owner", "--no-same-permissions"];
    const tar = spawn("tar", ["-xf", "-", "-C", folder, ...options], {
      stdio: ["pipe", "ignore", "pipe"],
      // An interrupt on the terminal must not reach tar.
      detached: true,
    });
    let complaint = "";
    tar.stderr.on("data", (text) => {
      complaint = `${complaint}${text}`.slice(-1_000);
    });
    const ended = once(tar, "close");
    ended.catch(() => undefined);
    // After the end of the archive, tar does not read the padding. If the archive breaks off, tar says so.
    await pipeline(content, tar.stdin).catch(() => undefined);
    const [code] = await ended;
    if (code !== 0) throw new Error(complaint.trim());
  }
}

/** Returns a driver that copies the files of jobs into a folder before it removes them. */
export const keepingFiles = (driver: Driver, path: string, emit: Emit): Driver => ({
  ...driver,
  environment(order) {
    const environment = driver.environment(order);
    return {
      ...environment,
      async [Symbol.asyncDispose]() {
        const error = await copyFiles(environment, path).then(
          () => undefined,
          (reason: Error) => reason.message,
        );
        await emit({ event: "kept", data: { path, error } });
        await environment[Symbol.asyncDispose]();
      },
    };
  },
});
