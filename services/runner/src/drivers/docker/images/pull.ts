import { Fault } from "@ci/kit/rpc/fault";
import type Docker from "dockerode";
import { HostTrouble } from "../../../endings/errors.js";
import type { Login } from "../../registry/logins.js";
import { registryOf } from "../../registry/place.js";
import { engineError, statusOf, wordsOf } from "../engine.js";

export const notPulled = (image: string, why: string, cause?: unknown): Fault =>
  new Fault("precondition", `Image ${image} could not be pulled: ${why}`, undefined, { cause });

const missing = /^(?:pull access denied for |manifest for |repository .* not found)/;
/** What the engine itself says at its own disk. The rest of an error may be a registry's text. */
const ownDisk =
  /^(?:failed to (?:register|extract|prepare|copy)|error (?:creating|processing)|write |open |mkdir )[\s\S]*(?:no space left on device|disk quota exceeded|input\/output error|too many open files)$/i;

/** Returns the error for a failed pull. A registry writes part of the engine's text: users get none of it. */
function pullError(error: unknown, image: string): unknown {
  const known = engineError(error);
  // The engine reports failures as plain text in the stream; an error with a code is the connection's.
  if (statusOf(error) === undefined && (error as NodeJS.ErrnoException).code !== undefined) return known;
  const said = wordsOf(error);
  if (ownDisk.test(said)) return new HostTrouble("The disk of the engine is full or does not work", { cause: error });
  return notPulled(
    image,
    missing.test(said) ? "it does not exist, or it needs a login" : "the runner's log says why",
    error,
  );
}

/** Waits until the engine has finished what it reports in a stream. */
export async function followed(
  engine: Docker,
  image: string,
  start: () => Promise<NodeJS.ReadableStream>,
  signal: AbortSignal,
): Promise<void> {
  let progress: NodeJS.ReadableStream | undefined;
  const stop = () => (progress as NodeJS.ReadableStream & { destroy(): void }).destroy();
  try {
    const stream = await start();
    progress = stream;
    signal.addEventListener("abort", stop, { once: true });
    await new Promise<void>((resolve, reject) =>
      engine.modem.followProgress(stream, (error) => (error ? reject(error) : resolve())),
    );
  } catch (error) {
    throw pullError(error, image);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Makes the engine pull an image. It connects to whatever addresses the registry names. */
export const pull = (engine: Docker, image: string, signal: AbortSignal, login?: Login): Promise<void> => {
  const authconfig = login && { ...login, serveraddress: registryOf(image) };
  return followed(engine, image, () => engine.pull(image, { abortSignal: signal, authconfig }), signal);
};
