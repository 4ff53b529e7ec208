import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import type { Log } from "@ci/kit/process/log";
import { Fault } from "@ci/kit/rpc/fault";
import type Docker from "dockerode";
import { reasonOf } from "../../work/errors.js";
import { type ImageName, parseImageName } from "./image-name.js";
import { load } from "./load.js";
import { localId } from "./local-image.js";
import { pull } from "./pull.js";
import type { PulledImages } from "./pulled.js";
import { checkRegistry, type RegistryRules } from "./registry.js";

export interface ImageRules extends RegistryRules {
  /** Names of images that builds may use without a pull; `*` stands for any text. */
  readonly localImages: readonly string[];
  /** Of the compressed layers of an image together. */
  readonly pullBytes: number;
  readonly pulled: PulledImages;
  readonly agent: ReturnType<typeof guardedAgent>;
  readonly log: Log;
}

const isNamed = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`).test(name);
  });

const found = async (engine: Docker, { full, loaded }: ImageName): Promise<string | undefined> =>
  (await localId(engine, full)) ?? (loaded === full ? undefined : localId(engine, loaded));

/** An engine pulls from registries that the operator trusts, with its own mirrors, proxies and certificates. */
async function fetchImage(engine: Docker, name: ImageName, rules: ImageRules, signal: AbortSignal): Promise<void> {
  const { agent, pullBytes: maxBytes, pulled } = rules;
  if ((await checkRegistry(name.full, rules)) === "trusted") return pull(engine, name.full, signal);
  return load(engine, name, { agent, maxBytes, isUsable: (id) => pulled.has(id) }, signal);
}

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
  const name = parseImageName(image);
  const { full, moves } = name;
  const there = await found(engine, name);
  const local = there && (isNamed(full, rules.localImages) || (await rules.pulled.has(there))) ? there : undefined;
  if (local && !moves && !pullAlways) return local;
  say(`Pulling image ${full}`);
  try {
    await fetchImage(engine, name, rules, signal);
  } catch (error) {
    signal.throwIfAborted();
    const hint = there && !local ? "the engine has this image, but DOCKER_LOCAL_IMAGES does not name it" : undefined;
    rules.log.warn({ err: error, image: full, hint }, "image not pulled");
    if (!local) throw error;
    say(`Pulling image ${full} failed, its local copy is used: ${reasonOf(error)}`);
    return local;
  }
  const pulled = await found(engine, name);
  if (!pulled) throw new Fault("precondition", `Image ${full} is not there after it was pulled`);
  await rules.pulled.add(pulled);
  return pulled;
}
