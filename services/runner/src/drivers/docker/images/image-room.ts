import type { Log } from "@ci/kit/process/log";
import type Docker from "dockerode";
import { statusOf } from "../engine.js";
import { arrivalOf, isNamed } from "./image-name.js";
import type { PulledImages } from "./pulled.js";

interface ImageRoomOptions {
  readonly engine: Docker;
  readonly pulled: PulledImages;
  /** Patterns of names of images that stay. */
  readonly localImages: readonly string[];
  /** The runner's name. */
  readonly runner: string;
  readonly log: Log;
  /** How long after its use an image stays: its build may have no container of it yet. */
  readonly restMs?: number;
  /** How long after the beginning of its load an image may still get its own name. */
  readonly loadMs?: number;
}

/** Knows which images of the engine builds need no more. */
export interface ImageRoom {
  /** A build uses this image from now on. */
  used(id: string): void;
  /**
   * Removes images that were pulled for builds, least recently used first, while `isShort` holds. Those stay that have a
   * container, or a name that no pull for a build gave them.
   */
  makeRoom(isShort: () => Promise<boolean>): Promise<void>;
}

const maxKnown = 1_000;

/** The engine keeps an image that a container or another image needs. */
async function removeName(engine: Docker, name: string): Promise<boolean> {
  try {
    await engine.getImage(name).remove();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return true;
    if (statusOf(error) === 409) return false;
    throw error;
  }
}

/** Returns the names by which an image is removed. One without a name goes by its id. */
const namesOf = ({ Id: id, RepoTags: tags }: Docker.ImageInfo): readonly string[] => {
  const names = (tags ?? []).filter((name) => name !== "<none>:<none>");
  return names.length > 0 ? names : [id];
};

export function imageRoom(options: ImageRoomOptions): ImageRoom {
  const { engine, pulled, localImages, runner, log, restMs = 10_000, loadMs = 3_600_000 } = options;
  const usedAt = new Map<string, number>();

  async function nameMayGo(name: string): Promise<boolean> {
    const arrivedAt = arrivalOf(name, runner);
    if (arrivedAt !== undefined) return Date.now() - arrivedAt >= loadMs;
    return !isNamed(name, localImages) && (await pulled.has(name));
  }

  const rests = ({ Id }: Docker.ImageInfo) => performance.now() - (usedAt.get(Id) ?? Number.NEGATIVE_INFINITY) < restMs;

  async function mayGo(image: Docker.ImageInfo): Promise<boolean> {
    if (rests(image)) return false;
    for (const name of namesOf(image)) if (!(await nameMayGo(name))) return false;
    return true;
  }

  async function candidates(): Promise<readonly Docker.ImageInfo[]> {
    const images = await engine.listImages();
    const going = await Promise.all(images.map(mayGo));
    const since = ({ Id }: Docker.ImageInfo) => usedAt.get(Id) ?? 0;
    return images.filter((_, index) => going[index]).sort((a, b) => since(a) - since(b));
  }

  async function remove(image: Docker.ImageInfo): Promise<void> {
    const names = namesOf(image);
    // The engine itself would only keep the last name of such an image.
    const users = await engine.listContainers({ all: true, limit: 1, filters: { ancestor: [image.Id] } });
    if (users.length > 0) return;
    for (const name of names) if (!(await removeName(engine, name))) return;
    usedAt.delete(image.Id);
    for (const one of [image.Id, ...names]) await pulled.remove(one);
    log.info({ image: image.Id, names: image.RepoTags }, "image removed to make room on the engine's disk");
  }

  async function removeWhile(isShort: () => Promise<boolean>): Promise<void> {
    for (const image of await candidates()) {
      if (!(await isShort())) return;
      if (!rests(image)) await remove(image);
    }
  }

  return {
    used(id) {
      usedAt.delete(id);
      usedAt.set(id, performance.now());
      if (usedAt.size > maxKnown) usedAt.delete(usedAt.keys().next().value!);
    },
    makeRoom: (isShort) =>
      removeWhile(isShort).catch((err) => log.warn({ err }, "no further images can be removed to make room")),
  };
}
