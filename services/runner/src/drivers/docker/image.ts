import { Fault } from "@ci/kit/rpc/fault";
import type Docker from "dockerode";
import { reasonOf } from "../../work/errors.js";
import { engineCall, engineError, engineFault, statusOf } from "./engine.js";

/** An image as the manifest names it. */
export interface ImageName {
  /** With a tag or a digest. */
  readonly full: string;
  /** A name without tag, or with the tag `latest`, may mean something new every time. */
  readonly moves: boolean;
}

const part = "[a-z0-9]+(?:[._-]+[a-z0-9]+)*";
const host = "[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]+)?";
const wellFormed = new RegExp(
  `^(?:${host}/)?${part}(?:/${part})*(?::[\\w][\\w.-]{0,127})?(?:@[a-z0-9]+:[0-9a-f]{32,})?$`,
);

/** Reads the name of an image; it becomes a part of addresses, so nothing but a name may pass. */
export function parseImageName(given: string): ImageName {
  const name = given.trim();
  if (!wellFormed.test(name)) throw new Fault("invalid", `"${name}" is not the name of an image`);
  if (name.includes("@")) return { full: name, moves: false };
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  return { full: tag === undefined ? `${name}:latest` : name, moves: tag === undefined || tag === "latest" };
}

async function localId(engine: Docker, name: string): Promise<string | undefined> {
  try {
    return (await engine.getImage(name).inspect()).Id;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw engineError(error);
  }
}

/** Pulls without credentials; ends when the signal fires. */
async function pull(engine: Docker, name: string, signal: AbortSignal): Promise<void> {
  const progress = await engineCall(engine.pull(name, { abortSignal: signal }));
  const stop = () => (progress as NodeJS.ReadableStream & { destroy(): void }).destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await new Promise<void>((resolve, reject) =>
      engine.modem.followProgress(progress, (error) => (error ? reject(error) : resolve())),
    );
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The engine tells its failures in the stream, as text alone; what has a code is the connection's.
    throw code === undefined ? engineFault(message, error) : error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * The id of the image to run: pulled when there is no local copy, when the name may mean something new, or on demand.
 * If that fails a local copy will do, and a line says so.
 */
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
