import { posix } from "node:path";
import { sizeText } from "@ci/kit/bytes/size-text";
import { Fault } from "@ci/kit/rpc/fault";
import type { SFTPWrapper } from "ssh2";
import type { Environment, OpenedFile, Order } from "../../driver.js";
import { Ended, raceAbort } from "../../endings/ended.js";
import { memoryLine } from "../../endings/last-line.js";
import { variablesOf } from "../variables.js";
import { type Connections, connectionsOf } from "./connections.js";
import { listFolder, openFile, openFiles, putFile } from "./files.js";
import { type Guest, takeBack } from "./guest.js";
import { inspectionOf } from "./inspection.js";
import { awaitEnd, endAfter, type Machine } from "./machine.js";
import { runScript } from "./run-script.js";
import { logInNow } from "./ssh.js";
import { type EnvironmentOptions, start } from "./start.js";
import { guestTrees } from "./trees.js";

const home = "/root";
const killedCode = 137;
const outOfMemory = /Out of memory: Killed process/;

/** The guest's kernel reports that on its console. */
const lastMemoryKill = ({ machine }: Guest) => machine.console().findLast((line) => outOfMemory.test(line));

/** Runs work in a guest. Ends its machine if the signal aborts. */
async function workIn<T>(guest: Guest, given: AbortSignal, work: (guest: Guest) => Promise<T>): Promise<T> {
  const signal = AbortSignal.any([given, guest.machine.trouble]);
  const end = () => void guest.machine.end();
  signal.addEventListener("abort", end, { once: true });
  try {
    return await raceAbort(signal, work(guest));
  } catch (error) {
    if (signal.aborted) await guest.machine.end();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

async function* contentOf(content: OpenedFile["content"], machine: Machine): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    if (!(error instanceof Fault)) await awaitEnd(machine);
    machine.trouble.throwIfAborted();
    throw error;
  }
}

/** Returns the connections to a guest. What they open is closed with the environment. */
const connectTo = ({ client, login }: Guest, undo: (() => unknown)[], signal: AbortSignal): Connections =>
  connectionsOf(client, async () => {
    const another = await logInNow(login, signal);
    undo.push(() => another.end());
    return another;
  });

export function qemuEnvironment(order: Order, options: EnvironmentOptions): Environment {
  const { log } = options;
  const { mark } = order;
  const over = new AbortController();
  const undo: (() => unknown)[] = [];
  let begun: Promise<Guest> | undefined;
  let guest: Guest | undefined;
  let files: Promise<SFTPWrapper> | undefined;
  let connections: Connections | undefined;
  const earlierKills = new Map<number | undefined, string | undefined>();

  function running(): Guest {
    if (!guest) throw new Error("the environment has not been prepared");
    return guest;
  }

  async function inGuest<T>(signal: AbortSignal, work: (guest: Guest) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    return workIn(running(), signal, work);
  }

  const inFiles = <T>(signal: AbortSignal, work: (files: SFTPWrapper) => Promise<T>): Promise<T> =>
    inGuest(signal, async ({ client }) => {
      files ??= openFiles(client, () => {
        files = undefined;
      });
      return work(await files);
    });

  return {
    inspection: inspectionOf(running, inGuest, options),
    sshFolder: `${home}/.ssh`,
    async prepare(say, signal) {
      const stop = AbortSignal.any([signal, over.signal]);
      begun = start(order, options, { say, undo, signal: stop });
      guest = await begun;
      connections = connectTo(guest, undo, over.signal);
    },
    put: ({ path, ...file }, signal) => inFiles(signal, (sftp) => putFile(sftp, posix.resolve(home, path), file)),
    run: (job, onOutput, signal) =>
      inGuest(signal, async ({ workshop, machine }) => {
        const { script, stop } = job;
        earlierKills.set(job.id, lastMemoryKill(running()));
        const { use } = connections!;
        const run = { variables: variablesOf(order, job, home), script, onOutput, stop, elsewhere: use, signal };
        return use((client) => runScript(client, workshop, run)).catch((error) => endAfter(machine, error));
      }),
    async explain(exitCode, _signal, job) {
      const kill = exitCode === killedCode ? lastMemoryKill(running()) : undefined;
      const killed = kill !== undefined && kill !== earlierKills.get(job?.id);
      return killed ? memoryLine(sizeText(options.limits.memoryBytes), "QEMU_MEMORY") : undefined;
    },
    trees: guestTrees(home, (signal, work) => inGuest(signal, ({ client }) => work(client))),
    async *list(directory, depth, signal) {
      const found = await inFiles(signal, async (sftp) => listFolder(sftp, posix.resolve(home, directory), depth));
      for (;;) {
        const next = await inGuest(signal, () => found.next());
        if (next.done) return;
        yield next.value;
      }
    },
    async open(path, signal) {
      const file = await inFiles(signal, (sftp) => openFile(sftp, posix.resolve(home, path)));
      // Closing would wait for a guest that no longer responds.
      const end = () => void running().machine.end();
      signal.addEventListener("abort", end, { once: true });
      const content = contentOf(file.content, running().machine);
      return { ...file, content, close: () => file.close().finally(() => signal.removeEventListener("abort", end)) };
    },
    async [Symbol.asyncDispose]() {
      over.abort(new Ended("lost"));
      await begun?.catch(() => undefined);
      await takeBack(undo, mark, log);
    },
  };
}
