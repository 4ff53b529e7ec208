import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { type WorkRoot, workRoot } from "@ci/runner/drivers/work-root";
import type { LocalConfig } from "./config.js";
import { Refused } from "./refused.js";

/** The name of a run, and the folder that belongs to it. */
export interface RunName extends Disposable {
  readonly name: string;
  readonly root: WorkRoot;
}

const maxRuns = 64;

/** Holds an abstract socket name until the process ends; undefined if another process holds it. */
async function hold(name: string): Promise<Disposable | undefined> {
  const server = createServer();
  server.listen({ path: `\0service-ci/${name}` });
  const isOurs = await once(server, "listening").then(
    () => true,
    () => false,
  );
  if (!isOurs) return undefined;
  server.unref();
  return { [Symbol.dispose]: () => void server.close() };
}

const nobody: Disposable = { [Symbol.dispose]: () => undefined };

/** Takes the first free name, so that a run finds what a killed run of the same name left behind. */
export async function takeName({ workDir }: Pick<LocalConfig, "workDir">): Promise<RunName> {
  const own = createHash("sha256").update(workDir).digest("hex").slice(0, 8);
  for (let nth = 1; nth <= maxRuns; nth++) {
    const isLinux = process.platform === "linux";
    const name = `ci-run-${own}-${isLinux ? nth : process.pid}`;
    const held = isLinux ? await hold(name) : nobody;
    if (held) return { name, root: await workRoot(workDir, name), [Symbol.dispose]: () => held[Symbol.dispose]() };
  }
  throw new Refused(`${maxRuns} runs are in progress. Wait until one has ended`);
}
