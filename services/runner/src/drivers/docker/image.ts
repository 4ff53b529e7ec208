import type { Log } from "@ci/kit/process/log";
import { Fault } from "@ci/kit/rpc/fault";
import type Docker from "dockerode";
import { HostTrouble, reasonOf } from "../../work/errors.js";
import { engineError, statusOf } from "./engine.js";
import type { PulledImages } from "./pulled.js";
import { checkRegistry, type RegistryRules } from "./registry.js";

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

const missing = /^(?:pull access denied for |manifest for |repository .* not found)/;
/** What the engine itself says at its own disk. The rest of an error may be a registry's text. */
const ownDisk =
  /^(?:failed to (?:register|extract|prepare|copy)|error (?:creating|processing)|write |open |mkdir )[\s\S]*(?:no space left on device|disk quota exceeded|input\/output error|too many open files)$/i;

/**
 * Returns the error for a failed pull. A registry writes part of the engine's text, which may be an internal page that
 * the registry made the engine fetch: users get none of it.
 */
function pullError(error: unknown, image: string): unknown {
  const known = engineError(error);
  // The engine reports failures as plain text in the stream; an error with a code is the connection's.
  if (statusOf(error) === undefined && (error as NodeJS.ErrnoException).code !== undefined) return known;
  const said = known instanceof Error ? known.message : "";
  if (ownDisk.test(said)) return new HostTrouble("The disk of the engine is full or does not work", { cause: error });
  const why = missing.test(said) ? "it does not exist, or it needs a login" : "the runner's log says why";
  return new Fault("precondition", `Image ${image} could not be pulled: ${why}`, undefined, { cause: error });
}

export async function pull(engine: Docker, name: string, signal: AbortSignal): Promise<void> {
  let progress: NodeJS.ReadableStream | undefined;
  const stop = () => (progress as NodeJS.ReadableStream & { destroy(): void }).destroy();
  try {
    const stream = await engine.pull(name, { abortSignal: signal });
    progress = stream;
    signal.addEventListener("abort", stop, { once: true });
    await new Promise<void>((resolve, reject) =>
      engine.modem.followProgress(stream, (error) => (error ? reject(error) : resolve())),
    );
  } catch (error) {
    throw pullError(error, name);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

export interface ImageRules extends RegistryRules {
  /** Names of images that builds may use without a pull; `*` stands for any text. */
  readonly localImages: readonly string[];
  readonly pulled: PulledImages;
  readonly log: Log;
}

const isNamed = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`).test(name);
  });

/**
 * Returns the image's id, pulled if missing, movable or on demand. Other images of the engine belong to somebody else:
 * a build may use one only if it was pulled for a build or if a setting names it. Such a copy stands in for a failed pull.
 */
export async function usableImage(
  engine: Docker,
  { image, pullAlways }: { readonly image: string; readonly pullAlways: boolean },
  rules: ImageRules,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const { full, moves } = parseImageName(image);
  const found = await localId(engine, full);
  const local = found && (isNamed(full, rules.localImages) || (await rules.pulled.has(found))) ? found : undefined;
  if (local && !moves && !pullAlways) return local;
  say(`Pulling image ${full}`);
  try {
    await checkRegistry(full, rules);
    await pull(engine, full, signal);
  } catch (error) {
    signal.throwIfAborted();
    const hint = found && !local ? "the engine has this image, but DOCKER_LOCAL_IMAGES does not name it" : undefined;
    rules.log.warn({ err: error, image: full, hint }, "image not pulled");
    if (!local) throw error;
    say(`Pulling image ${full} failed, its local copy is used: ${reasonOf(error)}`);
    return local;
  }
  const pulled = await localId(engine, full);
  if (!pulled) throw new Fault("precondition", `Image ${full} is not there after it was pulled`);
  await rules.pulled.add(pulled);
  return pulled;
}
