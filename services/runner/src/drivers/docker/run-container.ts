import { setTimeout as delay } from "node:timers/promises";
import { abortable } from "@ci/kit/bytes/chunked";
import type Docker from "dockerode";
import { raceAbort } from "../../endings/ended.js";
import { HostTrouble } from "../../endings/errors.js";
import { noShell } from "../../endings/last-line.js";
import type { Watched } from "./deaths.js";
import { EngineRefusal, engineCall, engineError } from "./engine.js";
import { payloads } from "./frames.js";
import { removeContainer } from "./remove.js";
import { killedCode } from "./spares/hand-over.js";

type Output = AsyncIterable<Uint8Array> & { destroy(): void };

/** Starts a job in its container. `open` comes first, so that no output is missed. */
export interface Launch {
  readonly open: () => Promise<Output>;
  readonly start: () => Promise<void>;
  /** Reports whether the container has taken the job; absent if it was made with it. */
  readonly wasTaken?: () => Promise<boolean>;
}

interface ContainerRun {
  readonly launch?: Launch;
  readonly onOutput: (bytes: Uint8Array) => Promise<void>;
  readonly onStart: () => void;
  readonly watched?: Watched;
  /** Ends the container's processes; it still has an exit code then. */
  readonly stop?: AbortSignal;
  readonly signal: AbortSignal;
}

async function exitOf(container: Docker.Container): Promise<number> {
  const { StatusCode, Error: failure } = (await container.wait({ condition: "next-exit" })) as {
    StatusCode: number;
    Error?: { Message: string } | null;
  };
  if (failure?.Message) throw new EngineRefusal(failure.Message);
  return StatusCode;
}

const brokeOff = () => new HostTrouble("The output of the container broke off");

/** The engine ends the output last: while a container runs, its output can only have broken off. Without an answer, the exit decides. */
async function checkEnded(container: Docker.Container): Promise<void> {
  const found = await container.inspect().catch(() => undefined);
  if (found?.State.Running) throw brokeOff();
}

const exitKnownMs = 2_000;

/** Waits for the exit after the output has ended. An engine that goes away breaks off `wait`, too: an exit code of `inspect` is no result. */
async function afterOutput(container: Docker.Container, exit: Promise<number>): Promise<number> {
  const late = () => delay(exitKnownMs, undefined, { ref: false });
  const code = (await Promise.race([exit, checkEnded(container)])) ?? (await Promise.race([exit, late()]));
  if (code === undefined) throw brokeOff();
  return code;
}

const codeOf = async ({ death }: Watched): Promise<number> => (await death).code ?? new Promise<never>(() => {});

/** Throws if the engine has killed a container. One that shuts down kills its containers, and still says how they ended. */
export async function checkKilled(watched: Watched | undefined): Promise<void> {
  if (await watched?.wasKilled()) throw new HostTrouble("The container was killed from outside");
}

/** The disposal waits for the rest of a removal. */
const removalWaitMs = 1_000;

const noShellThere = /exec:? "?\/bin\/sh"?: .*(no such file or directory|not found)/;

async function started(container: Docker.Container): Promise<void> {
  try {
    await container.start();
  } catch (error) {
    throw noShellThere.test((error as Error).message) ? noShell(error) : error;
  }
}

export async function ranOutOfMemory(container: Docker.Container): Promise<boolean> {
  const { State } = await engineCall(container.inspect());
  return State.OOMKilled;
}

const launchOf = (container: Docker.Container): Launch => ({
  open: async () =>
    (await engineCall(container.attach({ stream: true, stdout: true, stderr: true }))) as unknown as Output,
  start: () => started(container),
});

async function opened({ open }: Launch, signal: AbortSignal): Promise<Output> {
  const opening = open();
  try {
    return await raceAbort(signal, opening);
  } catch (error) {
    opening.then(
      (late) => late.destroy(),
      () => undefined,
    );
    throw error;
  }
}

/** A container that waited can end before it takes its job. Then no job has failed. */
async function checkTaken({ wasTaken }: Launch): Promise<void> {
  if (wasTaken && !(await wasTaken()))
    throw new HostTrouble("A container that waited for its job ended before the job began");
}

/** Runs a container and returns its exit code. */
export async function runContainer(
  container: Docker.Container,
  { launch = launchOf(container), onOutput, onStart, watched, stop, signal }: ContainerRun,
): Promise<number> {
  let removed: Promise<void> | undefined;
  const remove = () => {
    removed ??= removeContainer(container).catch(() => undefined);
  };
  signal.addEventListener("abort", remove, { once: true });
  const kill = () => void container.kill().catch(() => undefined);
  const stream = await opened(launch, signal);
  try {
    const exit = Promise.race([exitOf(container), ...(watched ? [codeOf(watched)] : [])]);
    exit.catch(() => undefined);
    await raceAbort(signal, launch.start());
    onStart();
    stop?.addEventListener("abort", kill, { once: true });
    if (stop?.aborted) kill();
    let isSilent = true;
    for await (const bytes of payloads(abortable(signal, stream))) {
      isSilent = false;
      await onOutput(bytes);
    }
    const code = await raceAbort(signal, afterOutput(container, exit));
    if (!stop?.aborted) await raceAbort(signal, checkKilled(watched));
    if (isSilent && code === killedCode) await raceAbort(signal, checkTaken(launch));
    return code;
  } catch (error) {
    remove();
    await Promise.race([removed, delay(removalWaitMs, undefined, { ref: false })]);
    signal.throwIfAborted();
    throw engineError(error);
  } finally {
    signal.removeEventListener("abort", remove);
    stop?.removeEventListener("abort", kill);
    stream.destroy();
  }
}
