import { Fault } from "@ci/kit/rpc/fault";
import type Docker from "dockerode";
import { reasonOf } from "../../work/errors.js";
import { engineCall, engineError, engineFault, statusOf } from "./engine.js";

export interface ImageName {
  readonly full: string;
  /** Without a tag, or with `latest`, a name may point to a new image each time. */
  readonly moves: boolean;
}

const part = "[a-z0-9]+(?:[._-]+[a-z0-9]+)*";
const host = "[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]+)?";
const wellFormed = new RegExp(
  `^(?:${host}/)?${part}(?:/${part})*(?::[\\w][\\w.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?$`,
);

/** Parses an image name. It becomes part of URLs, so nothing else may pass. */
export function parseImageName(given: string): ImageName {
  const name = given.trim();
  if (!wellFormed.test(name)) throw new Fault("invalid", `"${name}" is not the name of an image`);
  if (name.includes("@")) return { full: name, moves: false };
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  return { full: tag === undefined ? `${name}:latest` : name, moves: tag === undefined || tag === "latest" };
}

export async function localId(engine: Docker, name: string): Promise<string | undefined> {
  try {
    return (await engine.getImage(name).inspect()).Id;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw engineError(error);
  }
}

export async function pull(engine: Docker, name: string, signal: AbortSignal): Promise<void> {
  const progress = await engineCall(engine.pull(name, { abortSignal: signal }));
  const stop = () => (progress as NodeJS.ReadableStream & { destroy(): void }).destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) =>
      engine.modem.followProgress(progress, (error) => (error ? reject(error) : resolve())),
    );
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The engine reports failures as plain text in the stream; an error with a code is the connection's.
    throw code === undefined ? engineFault(message, error) : error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Returns the image's id, pulled if missing, movable or on demand. A local copy stands in for a failed pull. */
export async function usableImage(
  engine: Docker,
  { image, pullAlways }: { readonly image: string; readonly pullAlways: boolean },
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const { full, moves } = parseImageName(image);
  const local = await localId(engine, full);
  if (local && !moves && !pullAlways) return local;
  say(`Pulling image ${full}`);
  try {
    await pull(engine, full, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!local) throw error;
    say(`Pulling image ${full} failed, its local copy is used: ${reasonOf(error)}`);
    return local;
  }
  const pulled = await localId(engine, full);
  if (!pulled) throw new Fault("precondition", `Image ${full} is not there after it was pulled`);
  return pulled;
}
