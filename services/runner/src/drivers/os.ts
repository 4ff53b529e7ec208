import { appendFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Log } from "@ci/kit/process/log";
import type { Driver, Environment, Order } from "../driver.js";
import { raceAbort } from "../work/ended.js";
import { listFolder, openFile, putFile, removeFolder } from "./os/files.js";
import { type Pipes, pipesIn } from "./os/pipe.js";
import { startTimeOf } from "./os/processes.js";
import { runScript } from "./os/run-script.js";
import { killStrays } from "./os/strays.js";
import type { WorkRoot } from "./work-root.js";

export interface OsOptions {
  readonly root: WorkRoot;
  readonly path: string;
  readonly log: Log;
}

/** Runs builds directly on this machine, as the runner's own user. Only for users who trust each other. */
export async function osDriver(options: OsOptions): Promise<Driver> {
  const pipes = await pipesIn(options.root.path);
  return {
    type: "os",
    ready: async () => true,
    environment: (order) => osEnvironment(order, options, pipes),
    async leftovers() {
      const all = await options.root.all("os");
      return all.map(({ path, mark }) => ({ mark, what: `folder ${path}`, remove: () => removeAll(path) }));
    },
  };
}

/** The runner's own files lie beside the working directory. */
const workOf = (folder: string) => join(folder, "work");
const groupsOf = (folder: string) => join(folder, "groups");

async function removeAll(folder: string): Promise<void> {
  await endAll(folder);
  await removeFolder(folder);
}

async function endAll(folder: string): Promise<void> {
  const groups = await readFile(groupsOf(folder), "utf8").catch(() => "");
  await killStrays(folder, workOf(folder), groups);
}

function osEnvironment(order: Order, { root, path, log }: OsOptions, pipes: Pipes): Environment {
  let made: Promise<string> | undefined;
  let folder: string | undefined;
  function place(): { folder: string; work: string } {
    if (folder === undefined) throw new Error("the environment has not been prepared");
    return { folder, work: workOf(folder) };
  }

  return {
    sshFolder: ".ssh",
    async prepare(_say, signal) {
      signal.throwIfAborted();
      made = root.make("os", order.mark);
      folder = await made;
      await mkdir(workOf(folder), { mode: 0o700 });
    },
    put: ({ path: to, ...file }, signal) => raceAbort(signal, putFile(resolve(place().work, to), file)),
    async run(job, onOutput, signal) {
      const { folder, work } = place();
      const script = join(folder, "script");
      await writeFile(script, job.script, { mode: 0o700 });
      const pipe = await pipes.take();
      signal.throwIfAborted();
      try {
        return await runScript({
          script,
          folder: work,
          variables: environmentOf(order, path, work),
          pipe,
          onStart(group) {
            appendFileSync(groupsOf(folder), `${group} ${startTimeOf(group) ?? ""}\n`);
            if (job !== order.jobs.at(-1)) pipes.refill();
          },
          onOutput,
          signal,
        });
      } finally {
        if (signal.aborted) await endAll(folder);
      }
    },
    list: (directory, depth) => listFolder(resolve(place().work, directory), depth),
    open: (file, signal) => raceAbort(signal, openFile(resolve(place().work, file))),
    async [Symbol.asyncDispose]() {
      const place = await made?.catch(() => undefined);
      if (place === undefined) return;
      await removeAll(place).catch((error) =>
        log.warn({ err: error, ...order.mark }, "folder not removed; the next sweep will retry it"),
      );
      pipes.refill();
    },
  };
}

/** Excludes the runner's own variables, which hold secrets of the installation. */
function environmentOf({ variables }: Order, path: string, home: string): NodeJS.ProcessEnv {
  return { PATH: path, HOME: home, ...Object.fromEntries(variables.map(({ key, value }) => [key, value])) };
}
