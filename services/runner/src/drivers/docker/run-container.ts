import { abortable } from "@ci/kit/bytes/chunked";
import { Fault } from "@ci/kit/rpc/fault";
import type Docker from "dockerode";
import { unless } from "../../ended.js";
import { asked, refusal } from "./engine.js";
import { payloads } from "./frames.js";
import { removeContainer } from "./remove.js";

interface ContainerRun {
  readonly hear: (bytes: Uint8Array) => Promise<void>;
  readonly onStart: () => void;
  /** Resolves with the exit code if somebody hears of it sooner than we do. */
  readonly died?: Promise<number>;
  readonly signal: AbortSignal;
}

/** Waits for the end of a container that may not have started yet. */
async function exitOf(container: Docker.Container): Promise<number> {
  const { StatusCode, Error: failure } = (await container.wait({ condition: "next-exit" })) as {
    StatusCode: number;
    Error?: { Message: string } | null;
  };
  if (failure?.Message) throw new Fault("precondition", failure.Message);
  return StatusCode;
}

/**
 * Starts a container, hands over all of its output and answers its exit code. We listen and wait before it starts:
 * so nothing is missed, and the engine says by itself when it is over. When that fails, or the signal fires,
 * the container is removed with everything that runs in it.
 */
export async function runContainer(
  container: Docker.Container,
  { hear, onStart, died, signal }: ContainerRun,
): Promise<number> {
  let removed: Promise<void> | undefined;
  const remove = () => {
    removed ??= removeContainer(container).catch(() => undefined);
  };
  signal.addEventListener("abort", remove, { once: true });
  const stream = (await asked(
    container.attach({ stream: true, stdout: true, stderr: true }),
  )) as NodeJS.ReadWriteStream & {
    destroy(): void;
  };
  try {
    const exit = Promise.race([exitOf(container), ...(died ? [died] : [])]);
    exit.catch(() => undefined);
    await unless(signal, container.start());
    onStart();
    const output = abortable(signal, stream as AsyncIterable<Uint8Array>);
    for await (const bytes of payloads(output)) await hear(bytes);
    return await unless(signal, exit);
  } catch (error) {
    remove();
    await removed;
    signal.throwIfAborted();
    throw refusal(error);
  } finally {
    signal.removeEventListener("abort", remove);
    stream.destroy();
  }
}
