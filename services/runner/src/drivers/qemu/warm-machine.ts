import { randomInt } from "node:crypto";
import type { Log } from "@ci/kit/process/log";
import { type Mark, nobody } from "../../driver.js";
import { Ended, raceAbort, withTimeout } from "../../endings/ended.js";
import type { HeldImage } from "./cache.js";
import { type Guest, type Starting, takeBack } from "./guest.js";
import { runCommand } from "./ssh.js";

/** A machine that waits for a build or is starting. Holds nothing of any build or owner. */
export interface WarmMachine {
  readonly identity: string;
  readonly guest: Promise<Guest>;
  ready(): boolean;
  belongsTo(mark: Mark): void;
  /** Ends the machine in any state and removes everything of it. */
  end(): Promise<void>;
}

export interface WarmMachineOptions {
  readonly boot: (image: HeldImage, mark: Mark, on: Starting) => Promise<Guest>;
  readonly owners: Owners;
  readonly log: Log;
}

const epochs = 2 ** 47;

export interface Owners {
  newMark(installation: Mark["installation"]): Mark;
  give(mark: Mark, to: Mark): void;
  gone(mark: Mark): void;
  /** Returns the build a mark belongs to; undefined while its machine waits. */
  of(mark: Mark): Mark | undefined;
}

export function newOwners(): Owners {
  const owners = new Map<number, Mark | undefined>();
  return {
    newMark(installation) {
      // Random, because an earlier process may have left machines.
      const epoch = randomInt(1, epochs);
      owners.set(epoch, undefined);
      return { installation, buildId: nobody, epoch };
    },
    give: ({ epoch }, to) => void owners.set(epoch, to),
    gone: ({ epoch }) => void owners.delete(epoch),
    of: (mark) => (mark.buildId === nobody && owners.has(mark.epoch) ? owners.get(mark.epoch) : mark),
  };
}

const startTimeoutMs = 300_000;

export function startWarmMachine(
  { identity, again, installation }: Pick<HeldImage, "identity" | "again"> & Pick<Mark, "installation">,
  { boot, owners, log }: WarmMachineOptions,
): WarmMachine {
  const mark = owners.newMark(installation);
  const undo: Starting["undo"] = [];
  const stop = new AbortController();
  let ready = false;
  let ended: Promise<void> | undefined;
  const guest = (async () => {
    using time = withTimeout(startTimeoutMs, stop.signal);
    const image = await again();
    undo.push(() => image[Symbol.asyncDispose]());
    const booted = await boot(image, mark, { say: () => undefined, undo, signal: time.signal });
    ready = true;
    return booted;
  })();
  async function end(): Promise<void> {
    stop.abort(new Ended("lost"));
    await guest.catch(() => undefined);
    await takeBack(undo, mark, log);
    owners.gone(mark);
  }
  return {
    identity,
    guest,
    ready: () => ready,
    belongsTo: (build) => owners.give(mark, build),
    end() {
      ended ??= end();
      return ended;
    },
  };
}

/** A slower machine is worse than a new one. */
const usualAnswerMs = 5_000;

export async function checkResponsive({ client }: Guest, signal: AbortSignal, answerMs = usualAnswerMs): Promise<void> {
  const late = AbortSignal.timeout(answerMs);
  await raceAbort(AbortSignal.any([signal, late]), runCommand(client, "true", ""));
}
