import { setTimeout as delay } from "node:timers/promises";
import { abortable } from "@ci/kit/bytes/chunked";
import type Docker from "dockerode";
import { raceAbort } from "../../work/ended.js";
import { HostTrouble } from "../../work/errors.js";
import { noShell } from "../../work/last-line.js";
import { EngineRefusal, engineCall, engineError } from "./engine.js";
import { payloads } from "./frames.js";
import { removeContainer } from "./remove.js";

interface ContainerRun {
  readonly onOutput: (bytes: Uint8Array) => Promise<void>;
  readonly onStart: () => void;
  readonly died?: Promise<number>;
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

const lookEveryMs = 1_000;
const maxLooks = 10;

/** Waits for the exit after the output has ended. Polls, because an engine that goes away breaks its responses off. */
async function afterOutput(container: Docker.Container, exit: Promise<number>): Promise<number> {
  for (let looks = 0; looks < maxLooks; looks++) {
    const code = await Promise.race([exit, delay(lookEveryMs, undefined, { ref: false })]);
    if (code !== undefined) return code;
    const { State } = await engineCall(container.inspect());
    if (State.Status === "exited" || State.Status === "dead") return State.ExitCode;
  }
  throw new HostTrouble("Docker Engine no longer hands over the output of the container");
}

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

/** Runs a container and returns its exit code. Attaches before the start, so that no output is missed. */
export async function runContainer(
  container: Docker.Container,
  { onOutput, onStart, died, stop, signal }: ContainerRun,
): Promise<number> {
  let removed: Promise<void> | undefined;
  const remove = () => {
    removed ??= removeContainer(container).catch(() => undefined);
  };
  signal.addEventListener("abort", remove, { once: true });
  const kill = () => void container.kill().catch(() => undefined);
  const stream = (await engineCall(
    container.attach({ stream: true, stdout: true, stderr: true }),
  )) as NodeJS.ReadWriteStream & {
    destroy(): void;
  };
  try {
    const exit = Promise.race([exitOf(container), ...(died ? [died] : [])]);
    exit.catch(() => undefined);
    await raceAbort(signal, started(container));
    onStart();
    stop?.addEventListener("abort", kill, { once: true });
    if (stop?.aborted) kill();
    const output = abortable(signal, stream as AsyncIterable<Uint8Array>);
    for await (const bytes of payloads(output)) await onOutput(bytes);
    return await raceAbort(signal, afterOutput(container, exit));
  } catch (error) {
    remove();
    await removed;
    signal.throwIfAborted();
    throw engineError(error);
  } finally {
    signal.removeEventListener("abort", remove);
    stop?.removeEventListener("abort", kill);
    stream.destroy();
  }
}
