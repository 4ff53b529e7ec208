import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import type { Log } from "@ci/kit/process/log";
import { Fault } from "@ci/kit/rpc/fault";
import type { inTurn } from "@ci/kit/turns/in-turn";
import type Docker from "dockerode";
import { reasonOf } from "../../../endings/errors.js";
import type { Login, Logins } from "../../registry/logins.js";
import {
  engineName,
  type ImageName,
  isNamed,
  parseImageName,
  privateName,
  publicName,
  spellingsOf,
} from "./image-name.js";
import type { ImageRoom } from "./image-room.js";
import { load } from "./load.js";
import { type LocalImage, localImage } from "./local-image.js";
import { pull } from "./pull.js";
import { pullPrivately } from "./pull-privately.js";
import type { PulledImages } from "./pulled.js";
import { checkRegistry, type RegistryRules } from "./registry.js";

/** The engine, and which of its images builds may use. */
export interface Images extends RegistryRules {
  readonly engine: Docker;
  /** Names of images that builds may use without a pull; `*` stands for any text. */
  readonly localImages: readonly string[];
  /** Limits the layers of an image together, packed and unpacked. */
  readonly pullBytes: number;
  readonly pulled: PulledImages;
  readonly unproven: PulledImages;
  readonly inTurn: ReturnType<typeof inTurn<string>>;
  readonly room: Pick<ImageRoom, "used">;
  /** The runner's name. */
  readonly runner: string;
  readonly agent: ReturnType<typeof guardedAgent>;
  readonly log: Log;
}

const found = async ({ engine }: Images, { full, loaded }: ImageName): Promise<LocalImage | undefined> =>
  (loaded === full ? undefined : await localImage(engine, loaded)) ?? localImage(engine, full);

const isOpen = async ({ unproven }: Images, name: ImageName, patterns: readonly string[]): Promise<boolean> =>
  spellingsOf(name).some((spelling) => isNamed(spelling, patterns)) && !(await unproven.has(publicName(name)));

/** Returns the operator's own copy, which no pull replaces. An image that only `*` names may be anybody's. */
async function keptCopy(images: Images, name: ImageName): Promise<LocalImage | undefined> {
  const { engine, localImages, pulled } = images;
  const named = localImages.filter((pattern) => pattern !== "*");
  const there = (await isOpen(images, name, named)) ? await localImage(engine, name.full) : undefined;
  const isPulled = there && (await pulled.has(there.id)) && (await pulled.has(publicName(name)));
  return isPulled ? undefined : there;
}

/** An engine pulls from registries that the operator trusts, with its own mirrors, proxies and certificates. */
async function fetchImage(
  images: Images,
  name: ImageName,
  { login, own, signal }: { login: Login | undefined; own: LocalImage | undefined; signal: AbortSignal },
): Promise<LocalImage | undefined> {
  const { engine, agent, pullBytes: maxBytes, pulled, unproven, inTurn, room, runner } = images;
  const isTrusted = (await checkRegistry(name.full, images)) === "trusted";
  const isUsable = async (id: string) => id === own?.id || (await pulled.has(id));
  async function note(id: string): Promise<void> {
    room.used(id);
    await pulled.add(engineName(name), ...(login ? [] : [id]));
  }
  async function fetchNow(): Promise<LocalImage | undefined> {
    signal.throwIfAborted();
    const kept = login ? undefined : await keptCopy(images, name);
    if (kept) return kept;
    if (!isTrusted) await load(engine, name, { agent, maxBytes, login, isUsable, runner, note }, signal);
    else if (login) await pullPrivately(engine, name, { login, unproven, signal });
    else await pull(engine, name.full, signal);
    if (!login) await unproven.remove(publicName(name));
    const image = await found(images, name);
    if (image && isTrusted) await note(image.id);
    return image;
  }
  // During a pull with a login, the image has its public name.
  return isTrusted ? inTurn(publicName(name), fetchNow) : fetchNow();
}

/** Returns the copy that the build may use without a pull. `own` is that of the same login. */
async function usableCopy(images: Images, name: ImageName, own: LocalImage | undefined) {
  const { engine, localImages, pulled } = images;
  const there = own ?? (await localImage(engine, name.full));
  if (there === undefined || own !== undefined) return { there, local: own };
  const isUsable = (await isOpen(images, name, localImages)) || (await pulled.has(there.id));
  return { there, local: isUsable ? there : undefined };
}

interface WantedImage {
  readonly image: string;
  /** `if-it-moves`: if there is no copy, or if the name may point to a new image each time. */
  readonly pull: "always" | "if-it-moves" | "if-not-present";
  /** The logins of the build. */
  readonly logins: Logins;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

async function pulledOrLocal(images: Images, { image, pull, logins, say, signal }: WantedImage): Promise<LocalImage> {
  const given = parseImageName(image);
  const { full, moves } = given;
  const login = logins(full);
  const name = login ? privateName(given, login) : given;
  const own = name.loaded === full ? undefined : await localImage(images.engine, name.loaded);
  const { there, local } = await usableCopy(images, name, own);
  const mayBeOld = pull === "if-not-present" || (pull === "if-it-moves" && !moves);
  if (local && mayBeOld) return local;
  const kept = login ? undefined : await keptCopy(images, name);
  if (kept) {
    say(`Image ${full} is not pulled: this runner has its own`);
    return kept;
  }
  say(`Pulling image ${full}`);
  let pulled: LocalImage | undefined;
  try {
    pulled = await fetchImage(images, name, { login, own, signal });
  } catch (error) {
    signal.throwIfAborted();
    const hint = there && !local ? "the engine has this image, but DOCKER_LOCAL_IMAGES does not name it" : undefined;
    images.log.warn({ err: error, image: full, hint }, "image not pulled");
    if (!local && !images.localImages.includes("*"))
      say("If the runner's engine has this image, builds may use it only if DOCKER_LOCAL_IMAGES names it");
    if (!local) throw error;
    say(`Pulling image ${full} failed, its local copy is used: ${reasonOf(error)}`);
    return local;
  }
  if (!pulled) throw new Fault("precondition", `Image ${full} is not there after it was pulled`);
  return pulled;
}

/**
 * Returns the image, pulled if missing, movable or on demand. Other images of the engine belong to somebody else:
 * a build may use one only if it was pulled for a build or if a setting names it. Such a copy stands in for a failed pull.
 */
export async function usableImage(images: Images, wanted: WantedImage): Promise<LocalImage> {
  const image = await pulledOrLocal(images, wanted);
  images.room.used(image.id);
  return image;
}
