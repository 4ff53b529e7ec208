import { chmod } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Log } from "@ci/kit/process/log";
import type { UidRange } from "../config.js";
import type { Driver, Environment, Order } from "../driver.js";
import { raceAbort } from "../endings/ended.js";
import { listFolder, openFile, putFile } from "./os/files.js";
import { type Pipes, pipesIn } from "./os/pipe.js";
import {
  endProcesses,
  makePlace,
  noteGroup,
  type Place,
  removeLeftover,
  removePlace,
  writeScript,
} from "./os/place.js";
import { runScript } from "./os/run-script.js";
import { startShell } from "./os/shell.js";
import { osTrees } from "./os/trees.js";
import { variablesOf } from "./variables.js";
import type { WorkRoot } from "./work-root.js";

interface OsOptions {
  readonly root: WorkRoot;
  readonly path: string;
  /** Who runs builds, each as a user of its own; undefined for the runner's own user. */
  readonly uids: UidRange | undefined;
  readonly log: Log;
}

/** Runs builds directly on this machine. Only for users who trust each other. */
export async function osDriver(options: OsOptions): Promise<Driver> {
  const { root, uids, log } = options;
  if (uids) await letEnter(root, uids);
  log.info(
    { uids },
    uids ? "jobs of the os driver run as users of their own" : "jobs of the os driver run as the runner's own user",
  );
  const pipes = await pipesIn(root.path);
  return {
    type: "os",
    ready: async () => true,
    environment: (order) => osEnvironment(order, options, pipes),
    async leftovers() {
      const all = await root.all("os");
      return all.map(({ path, mark }) => ({ mark, what: `folder ${path}`, remove: () => removeLeftover(path) }));
    },
  };
}

/** Lets the users of builds pass through the runner's folders, which they still cannot list. */
async function letEnter({ path }: WorkRoot, { first: uid }: UidRange): Promise<void> {
  for (const folder of [dirname(path), path]) await chmod(folder, 0o711);
  await using shell = await startShell('[ -x "$1" ]', [path], { user: { uid, gid: uid } });
  await shell.done.catch((cause) => {
    const mend = "choose a folder inside one that every user may enter";
    throw new Error(`RUNNER_DIR: jobs of the os driver run as user ${uid}, who cannot enter ${path}: ${mend}`, {
      cause,
    });
  });
}

function osEnvironment(order: Order, { root, path, uids, log }: OsOptions, pipes: Pipes): Environment {
  let made: Promise<string> | undefined;
  let ready: Place | undefined;
  function place() {
    if (ready === undefined) throw new Error("the environment has not been prepared");
    return ready;
  }
  const inWork = (file: string) => resolve(place().work, file);

  return {
    sshFolder: ".ssh",
    async prepare(_say, signal) {
      signal.throwIfAborted();
      made = root.make("os", order.mark);
      ready = await makePlace(await made, uids);
    },
    put: ({ path: to, ...file }, signal) => raceAbort(signal, putFile(inWork(to), file, place().user, signal)),
    async run(job, onOutput, signal) {
      const here = place();
      const { work, user } = here;
      const script = writeScript(here, job);
      const pipe = await pipes.take();
      signal.throwIfAborted();
      try {
        return await runScript({
          script,
          folder: work,
          variables: { PATH: path, HOME: work, ...recordOf(variablesOf(order, job, work)) },
          user,
          pipe,
          onStart(group, sinceMs) {
            noteGroup(here, group, sinceMs);
            if (job.id !== order.jobs.at(-1)?.id) pipes.refill();
          },
          onOutput,
          stop: job.stop,
          signal,
        });
      } finally {
        if (signal.aborted) await endProcesses(here).catch(() => undefined);
      }
    },
    trees: osTrees(place),
    list: (directory, depth, signal) => listFolder(inWork(directory), depth, place().user, signal),
    async open(file, signal) {
      const opening = openFile(inWork(file), place().user, signal);
      return raceAbort(signal, opening).catch((error) => {
        opening.then((opened) => opened.close()).catch(() => undefined);
        throw error;
      });
    },
    async [Symbol.asyncDispose]() {
      const folder = await made?.catch(() => undefined);
      if (folder === undefined) return;
      await (ready ? removePlace(ready) : removeLeftover(folder)).catch((error) =>
        log.warn({ err: error, ...order.mark }, "folder not removed; the next sweep will retry it"),
      );
      pipes.refill();
    },
  };
}

/** The whole environment of a job is made of these: the runner's own variables hold secrets of the installation. */
const recordOf = (variables: Order["variables"]) => Object.fromEntries(variables.map(({ key, value }) => [key, value]));
