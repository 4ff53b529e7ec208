import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { abortable } from "@ci/kit/bytes/chunked";
import { Fault } from "@ci/kit/rpc/fault";
import { type Room, roomIn } from "./room.js";
import { type Shared, shared } from "./shared-work.js";

/** An image as its record describes it. */
export interface Described {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** An image, open for reading; it stays on this machine until it is given back. */
export interface HeldImage extends AsyncDisposable {
  readonly file: FileHandle;
  /** Two that are equal have the same content. */
  readonly identity: string;
  /** The same content once more, for somebody else. Nothing is fetched: rejects if it is not here any more. */
  again(): Promise<HeldImage>;
}

/** Images on this machine, each under the hash of its content. */
export interface ImageCache {
  /** The image, fetched first if it is not here. Who asks for one that is being fetched waits for that. */
  hold(image: Described, fetch: Fetch, signal: AbortSignal): Promise<HeldImage>;
  /** Removes images that nobody holds, longest unused first, while `isShort` says so. */
  shed(isShort: () => Promise<boolean>): Promise<void>;
}

/** Gets the bytes of an image, from the first on, each time it is called. */
export type Fetch = (signal: AbortSignal) => AsyncIterable<Uint8Array>;

export interface CacheOptions {
  readonly folder: string;
  readonly limitBytes: number;
  /** Tells the unfinished files of this process from those of others that use the folder. */
  readonly owner: string;
  /** Gives back something that is held without need, if there is any; asked when room is wanted. */
  readonly giveWay?: () => Promise<boolean>;
}

/** Opens a cache; unfinished files that an earlier process of the same owner has left are removed. */
export async function openCache({ folder, limitBytes, owner, giveWay }: CacheOptions): Promise<ImageCache> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = `part.${encodeURIComponent(owner)}`;
  for (const name of await readdir(folder))
    if (name.startsWith(`${part}.`) && /^[0-9a-f]{16}$/.test(name.slice(part.length + 1)))
      await rm(join(folder, name), { force: true });
  const held = new Map<string, number>();
  const fetching = new Map<string, Shared>();
  const room = roomIn({ folder, limitBytes, isHeld: (name) => held.has(name), giveWay });

  function release(sha256: string): void {
    const holders = held.get(sha256)! - 1;
    if (holders > 0) held.set(sha256, holders);
    else held.delete(sha256);
    room.changed();
  }

  /** Fetches an image, or joins whoever is fetching it. */
  async function fetched(image: Described, fetch: Fetch, signal: AbortSignal): Promise<void> {
    const { sha256 } = image;
    let running = fetching.get(sha256);
    if (!running) {
      const into = { room, part: join(folder, `${part}.${randomBytes(8).toString("hex")}`), to: join(folder, sha256) };
      const own = shared(
        (stop) => fetchInto(into, image, fetch, stop),
        () => fetching.get(sha256) === own && fetching.delete(sha256),
      );
      running = own;
      fetching.set(sha256, own);
    }
    await running.join(signal);
  }

  const openHere = (sha256: string) => open(join(folder, sha256), constants.O_RDONLY | constants.O_NOFOLLOW);

  async function opened(image: Described, fetch: Fetch, signal: AbortSignal): Promise<FileHandle> {
    try {
      return await openHere(image.sha256);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      await fetched(image, fetch, signal);
      return openHere(image.sha256);
    }
  }

  /** It is held before it is opened: nobody removes it in between. */
  async function holding(sha256: string, opening: () => Promise<FileHandle>): Promise<HeldImage> {
    held.set(sha256, (held.get(sha256) ?? 0) + 1);
    try {
      const file = await opening();
      return {
        file,
        identity: sha256,
        again: () => holding(sha256, () => openHere(sha256)),
        [Symbol.asyncDispose]: () => file.close().finally(() => release(sha256)),
      };
    } catch (error) {
      release(sha256);
      throw error;
    }
  }

  return {
    shed: room.shed,
    async hold(image, fetch, signal) {
      const { sha256 } = image;
      if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`not a hash: ${sha256}`);
      return holding(sha256, async () => {
        const file = await opened(image, fetch, signal);
        const now = new Date();
        await file.utimes(now, now);
        return file;
      });
    },
  };
}

/**
 * Fetches an image. It gets its name only when it is complete, has the right hash and lies on the disk: what lies there
 * under a hash is right, whatever crashed when.
 */
async function fetchInto(
  { room, part, to }: { room: Room; part: string; to: string },
  { sha256, sizeBytes }: Described,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<void> {
  const reserved = await room.reserve(sizeBytes, signal);
  try {
    const file = await open(part, "w", 0o600);
    try {
      const hash = createHash("sha256");
      let bytes = 0;
      for await (const chunk of abortable(signal, fetch(signal))) {
        bytes += chunk.length;
        if (bytes > sizeBytes) throw new Fault("precondition", "The image is larger than its record says");
        hash.update(chunk);
        await file.write(chunk);
      }
      if (hash.digest("hex") !== sha256) throw new Fault("precondition", "The image has not arrived as it was sent");
      // Everybody may read it who gets it opened: the folder is nobody else's.
      await file.chmod(0o444);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, to);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    reserved[Symbol.dispose]();
  }
}
