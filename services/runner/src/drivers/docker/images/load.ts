import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { guardedAgent } from "@ci/kit/net/guarded-agent";
import type Docker from "dockerode";
import { HostTrouble } from "../../../endings/errors.js";
import { imageArchive } from "../../registry/archive.js";
import { registryClient } from "../../registry/client.js";
import { explained } from "../../registry/explained.js";
import { findImage, type RemoteImage } from "../../registry/image.js";
import type { Login } from "../../registry/logins.js";
import { placeOf } from "../../registry/place.js";
import { engineCall, ignoreNotFound } from "../engine.js";
import { type ImageName, newArrival, tagOf } from "./image-name.js";
import { localId } from "./local-image.js";
import { followed, notPulled } from "./pull.js";

export interface LoadOptions {
  readonly agent: ReturnType<typeof guardedAgent>;
  /** Limits the layers of an image together, packed and unpacked. */
  readonly maxBytes: number;
  readonly login?: Login | undefined;
  /** Reports whether builds may use an image that the engine has. */
  readonly isUsable: (id: string) => Promise<boolean>;
  /** The runner's name. */
  readonly runner: string;
  /** Called before an image gets its name. */
  readonly note?: (id: string) => Promise<void>;
}

async function named(engine: Docker, id: string, name: string, { note }: LoadOptions): Promise<void> {
  await note?.(id);
  await engineCall(engine.getImage(id).tag(tagOf(name)));
}

/** Names what the engine already has, by the configuration or, in engines with containerd's store, the manifest. */
async function reused(engine: Docker, name: string, image: RemoteImage, options: LoadOptions): Promise<boolean> {
  for (const digest of [image.config.digest, image.digest]) {
    const id = await localId(engine, digest);
    if (id === undefined || !(await options.isUsable(id))) continue;
    await named(engine, id, name, options);
    return true;
  }
  return false;
}

async function fetched(engine: Docker, image: ImageName, options: LoadOptions, signal: AbortSignal): Promise<void> {
  const place = placeOf(image.full);
  const client = registryClient(options.agent, place, signal, options.login);
  const { maxBytes } = options;
  const { Os: os, Arch: architecture } = await engineCall(engine.version());
  const found = await findImage(client, place.reference, { platform: { os, architecture }, maxBytes });
  const name = image.loaded === image.full ? `${place.stored}:${place.reference}` : image.loaded;
  if (await reused(engine, name, found, options)) return;
  const arriving = newArrival(options.runner);
  using archive = imageArchive(client, found, { name: arriving, maxBytes });
  const loaded = followed(engine, image.full, () => engine.loadImage(archive.stream, { abortSignal: signal }), signal);
  loaded.catch(() => undefined);
  // The engine's error follows from the registry's, which says more. A failed engine takes no more bytes.
  await Promise.race([archive.filled, loaded]);
  await loaded;
  const id = await localId(engine, arriving);
  if (id === undefined) throw new HostTrouble(`The image ${image.full} was removed as soon as it was loaded`);
  await named(engine, id, name, options);
  await ignoreNotFound(engine.getImage(arriving).remove({ noprune: true }));
}

/** Fetches an image from its registry and hands it to the engine, which itself connects nowhere. */
export async function load(engine: Docker, image: ImageName, options: LoadOptions, signal: AbortSignal): Promise<void> {
  try {
    await fetched(engine, image, options, signal);
  } catch (error) {
    throw error instanceof FetchFailed ? notPulled(image.full, explained(error), error) : error;
  }
}
