import { appendFileSync } from "node:fs";
import { chmod, chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Log } from "@ci/kit/process/log";
import type { UidRange } from "../config.js";
import type { Driver, Environment, Job, Order } from "../driver.js";
import { raceAbort } from "../work/ended.js";
import { listFolder, openFile, putFile, removeFolder } from "./os/files.js";
import { type Pipes, pipesIn } from "./os/pipe.js";
import { startTimeOf } from "./os/processes.js";
import { runScript } from "./os/run-script.js";
import { startShell } from "./os/shell.js";
import { killStrays } from "./os/strays.js";
import { osTrees } from "./os/trees.js";
import { claimUser, ownerOf, releaseUser } from "./os/users.js";
import type { User } from "./user.js";
import { variablesOf } from "./variables.js";
import type { WorkRoot } from "./work-root.js";

export interface OsOptions {
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
      return all.map(({ path, mark }) => ({ mark, what: `folder ${path}`, remove: () => removeAll(path) }));
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

/** The runner's own files lie beside the working directory. */
const workOf = (folder: string) => join(folder, "work");
const groupsOf = (folder: string) => join(folder, "groups");

async function removeAll(folder: string): Promise<void> {
  const user = await ownerOf(workOf(folder));
  await endAll(folder, user);
  await removeFolder(folder);
  if (user) await releaseUser(user, folder);
}

async function endAll(folder: string, user: User | undefined): Promise<void> {
  const groupLines = await readFile(groupsOf(folder), "utf8").catch(() => "");
  await killStrays({ folder, home: workOf(folder), groupLines, user });
}

async function makeWork(folder: string, uids: UidRange | undefined): Promise<User | undefined> {
  const user = uids && (await claimUser(uids, folder));
  await mkdir(workOf(folder), { mode: 0o700 });
  if (!user) return undefined;
  await chown(workOf(folder), user.uid, user.gid);
  await chown(folder, 0, user.gid);
  await chmod(folder, 0o710);
  return user;
}

async function writeScript(folder: string, job: Job, user: User | undefined): Promise<string> {
  const script = join(folder, job.beside === undefined ? "script" : `script.${job.id}`);
  await writeFile(script, job.script, { mode: 0o700 });
  if (user) await chown(script, user.uid, user.gid);
  return script;
}

function osEnvironment(order: Order, { root, path, uids, log }: OsOptions, pipes: Pipes): Environment {
  let made: Promise<string> | undefined;
  let ready: { folder: string; work: string; user: User | undefined } | undefined;
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
      const folder = await made;
      ready = { folder, work: workOf(folder), user: await makeWork(folder, uids) };
    },
    put: ({ path: to, ...file }, signal) => raceAbort(signal, putFile(inWork(to), file, place().user)),
    async run(job, onOutput, signal) {
      const { folder, work, user } = place();
      const script = await writeScript(folder, job, user);
      const pipe = await pipes.take();
      signal.throwIfAborted();
      try {
        return await runScript({
          script,
          folder: work,
          variables: { PATH: path, HOME: work, ...recordOf(variablesOf(order, job, work)) },
          user,
          pipe,
          onStart(group) {
            appendFileSync(groupsOf(folder), `${group} ${startTimeOf(group) ?? ""}\n`, { mode: 0o600 });
            if (job.id !== order.jobs.at(-1)?.id) pipes.refill();
          },
          onOutput,
          stop: job.stop,
          signal,
        });
      } finally {
        if (signal.aborted) await endAll(folder, user);
      }
    },
    trees: osTrees(place),
    list: (directory, depth) => listFolder(inWork(directory), depth, place().user),
    async open(file, signal) {
      const opening = openFile(inWork(file), place().user);
      return raceAbort(signal, opening).catch((error) => {
        opening.then((opened) => opened.close()).catch(() => undefined);
        throw error;
      });
    },
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

/** The whole environment of a job is made of these: the runner's own variables hold secrets of the installation. */
const recordOf = (variables: Order["variables"]) => Object.fromEntries(variables.map(({ key, value }) => [key, value]));
