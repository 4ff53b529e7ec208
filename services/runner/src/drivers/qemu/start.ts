import { Fault } from "@ci/kit/fault";
import type { Log } from "@ci/kit/log";
import { type Client, utils } from "ssh2";
import type { Order } from "../../driver.js";
import { endingOf, unless } from "../../ended.js";
import { logIn } from "../../ssh.js";
import { removeFolder } from "../os/files.js";
import type { WorkRoot } from "../work-root.js";
import { mayUseKvm } from "./acceleration.js";
import { boot, type Limits } from "./boot.js";
import { type Images, openImage } from "./image.js";
import { inspect } from "./inspect.js";
import type { Acceleration, Machine } from "./machine.js";
import { forwardedPort } from "./monitor.js";
import { openWorkshop, type Workshop } from "./run-script.js";
import type { Users } from "./users.js";

export interface EnvironmentOptions {
  readonly root: WorkRoot;
  readonly images: Images;
  readonly limits: Limits;
  /** The largest disk that is booted. */
  readonly virtualBytes: number;
  readonly acceleration: () => Promise<Acceleration>;
  readonly users: Users;
  /** Where to look for QEMU. */
  readonly path: string;
  readonly log: Log;
}

/** A machine into which somebody has logged in. */
export interface Guest {
  readonly machine: Machine;
  readonly client: Client;
  readonly workshop: Workshop;
}

export interface Starting {
  readonly say: (line: string) => void;
  /** Gets what takes back each step, also of a start that fails; to be called last first. */
  readonly undo: (() => unknown)[];
  readonly signal: AbortSignal;
}

/** Makes a virtual machine for a build and waits until jobs can be run in it. */
export async function start(order: Order, options: EnvironmentOptions, on: Starting): Promise<Guest> {
  const { root, limits, path, users } = options;
  const { say, undo, signal } = on;
  const image = await openImage(order, options.images, say, signal);
  undo.push(() => image[Symbol.asyncDispose]());
  const taken = users.take();
  undo.push(() => taken[Symbol.dispose]());
  const acceleration = await unless(signal, options.acceleration());
  const user = acceleration === "kvm" ? await mayUseKvm(taken.user) : taken.user;
  const virtualBytes = await inspect(image.file, { path, user, virtualBytes: options.virtualBytes, signal });
  const folder = await root.make("qemu", order.mark);
  undo.push(() => removeFolder(folder));
  signal.throwIfAborted();
  const { private: privateKey, public: publicKey } = utils.generateKeyPairSync("ed25519");
  const machine = await boot({ folder, image, virtualBytes, publicKey, limits, acceleration, user, path });
  undo.push(() => machine.end());
  const client = await reach(machine, privateKey, on);
  undo.push(() => client.end());
  return { machine, client, workshop: await unless(signal, openWorkshop(client)) };
}

/** Waits until the machine lets us in. When it does not, its console is shown: nobody else has seen that. */
async function reach(machine: Machine, privateKey: string, { say, signal }: Starting): Promise<Client> {
  const dead = new AbortController();
  const die = (cause?: unknown) => dead.abort(new Fault("precondition", "QEMU has ended", undefined, { cause }));
  machine.ended.then(() => die(), die);
  const either = AbortSignal.any([signal, dead.signal]);
  let failure = "it was not tried";
  try {
    const port = await unless(either, forwardedPort(machine.monitor));
    const onFailure = ({ message }: Error) => {
      failure = message;
    };
    return await logIn({ port, privateKey }, onFailure, either);
  } catch (error) {
    await machine.end();
    const ending = endingOf(signal);
    if (ending === undefined || ending === "timed_out") {
      say(`Nobody could log in to the virtual machine: ${failure}. Its console:`);
      for (const line of machine.console()) say(`  ${line}`);
    }
    throw error;
  }
}
