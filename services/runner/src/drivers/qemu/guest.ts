import type { Log } from "@ci/kit/process/log";
import { Fault } from "@ci/kit/rpc/fault";
import type { Client } from "ssh2";
import type { Mark } from "../../driver.js";
import { endingOf, raceAbort } from "../../endings/ended.js";
import { removeFolder } from "../os/files.js";
import type { User } from "../user.js";
import type { WorkRoot } from "../work-root.js";
import { mayUseKvm } from "./acceleration.js";
import { boot, type Limits } from "./boot.js";
import type { HeldImage } from "./cache.js";
import { inspect } from "./inspect.js";
import { type Acceleration, awaitEnd, endAfter, type Machine } from "./machine.js";
import { forwardedPort } from "./monitor.js";
import { openWorkshop, type Workshop } from "./run-script.js";
import { type Login, logIn, makeKeyPair } from "./ssh.js";
import type { Users } from "./users.js";

export interface GuestOptions {
  readonly root: WorkRoot;
  readonly limits: Limits;
  readonly virtualBytes: number;
  readonly acceleration: () => Promise<Acceleration>;
  readonly users: Users;
  readonly path: string;
  readonly log: Log;
}

export interface Guest {
  readonly machine: Machine;
  readonly client: Client;
  readonly workshop: Workshop;
  readonly login: Login;
  readonly folder: string;
  readonly image: HeldImage;
  readonly user?: User;
}

export interface Starting {
  readonly say: (line: string) => void;
  /** Steps that undo the start, run last to first. */
  readonly undo: (() => unknown)[];
  readonly signal: AbortSignal;
}

export async function bootGuest(image: HeldImage, mark: Mark, options: GuestOptions, on: Starting): Promise<Guest> {
  const { root, limits, path, users } = options;
  const { undo, signal } = on;
  const taken = users.take();
  undo.push(() => taken[Symbol.dispose]());
  const acceleration = await raceAbort(signal, options.acceleration());
  const user = acceleration === "kvm" ? await mayUseKvm(taken.user) : taken.user;
  const virtualBytes = await inspect(image.file, { path, user, virtualBytes: options.virtualBytes, signal });
  const folder = await root.make("qemu", mark);
  undo.push(() => removeFolder(folder));
  signal.throwIfAborted();
  const { private: privateKey, public: publicKey } = makeKeyPair();
  const machine = await boot({ folder, image, virtualBytes, publicKey, limits, acceleration, user, path });
  undo.push(() => machine.end());
  const { client, login } = await reach(machine, privateKey, on);
  undo.push(() => client.end());
  const either = AbortSignal.any([signal, machine.trouble]);
  const workshop = await raceAbort(either, openWorkshop(client)).catch((error) => endAfter(machine, error));
  return { machine, client, login, folder, image, user, workshop };
}

/** Waits for the login. If it fails, prints the console, which the user has not seen. */
async function reach(
  machine: Machine,
  privateKey: string,
  { say, signal }: Starting,
): Promise<{ client: Client; login: Login }> {
  const dead = new AbortController();
  const die = (cause?: unknown) => dead.abort(new Fault("precondition", "QEMU has ended", undefined, { cause }));
  machine.ended.then(() => die(), die);
  const either = AbortSignal.any([signal, machine.trouble, dead.signal]);
  let failure = "it was not tried";
  try {
    const login = { port: await raceAbort(either, forwardedPort(machine.monitor)), privateKey };
    const onFailure = ({ message }: Error) => {
      failure = message;
    };
    return { client: await logIn(login, onFailure, either), login };
  } catch (error) {
    if (!either.aborted) await awaitEnd(machine);
    await machine.end();
    if (!signal.aborted) machine.trouble.throwIfAborted();
    const ending = endingOf(signal);
    if (ending === undefined || ending === "timed_out") {
      say(`Nobody could log in to the virtual machine: ${failure}. Its console:`);
      for (const line of machine.console()) say(`  ${line}`);
    }
    throw error;
  }
}

export async function takeBack(undo: (() => unknown)[], mark: Mark, log: Log): Promise<void> {
  for (const step of undo.splice(0).reverse())
    try {
      await step();
    } catch (error) {
      log.warn({ err: error, ...mark }, "environment not removed; the next sweep will retry it");
    }
}
