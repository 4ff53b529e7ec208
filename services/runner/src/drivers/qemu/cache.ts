import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { abortable } from "@ci/kit/bytes/chunked";
import { writeAll } from "@ci/kit/bytes/write-all";
import { Fault } from "@ci/kit/rpc/fault";
import { type Room, roomIn } from "./room.js";
import { type SharedWork, sharedWork } from "./shared-work.js";

interface ImageContent {
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** An open image, kept on this machine until it is disposed. */
export interface HeldImage extends AsyncDisposable {
  readonly file: FileHandle;
  /** Equal identities mean equal content. */
  readonly identity: string;
  /** Opens the same content again. Fetches nothing: rejects if it is no longer here. */
  again(): Promise<HeldImage>;
}

export interface ImageCache {
  /** Returns the image, fetched first if needed. Concurrent calls share one fetch. */
  hold(image: ImageContent, fetch: Fetch, signal: AbortSignal): Promise<HeldImage>;
  /** Removes unused images, least recently used first, while `isShort` holds. */
  shed(isShort: () => Promise<boolean>): Promise<void>;
}

export type Fetch = (signal: AbortSignal) => AsyncIterable<Uint8Array>;

interface CacheOptions {
  readonly folder: string;
  readonly limitBytes: number;
  /** Separates this process's unfinished files from those of others. */
  readonly owner: string;
  /** Frees an image that is held for convenience; false if there is none. */
  readonly giveWay?: () => Promise<boolean>;
}

/** Opens a cache and removes unfinished files of an earlier process of the same owner. */
export async function openCache({ folder, limitBytes, owner, giveWay }: CacheOptions): Promise<ImageCache> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = `part.${encodeURIComponent(owner)}`;
  for (const name of await readdir(folder))
    if (name.startsWith(`${part}.`) && /^[0-9a-f]{16}$/.test(name.slice(part.length + 1)))
      await rm(join(folder, name), { force: true });
  const held = new Map<string, number>();
  const fetching = new Map<string, SharedWork>();
  const room = roomIn({ folder, limitBytes, isHeld: (name) => held.has(name), giveWay });

  function release(sha256: string): void {
    const holders = held.get(sha256)! - 1;
    if (holders > 0) held.set(sha256, holders);
    else held.delete(sha256);
    room.changed();
  }

  async function fetched(image: ImageContent, fetch: Fetch, signal: AbortSignal): Promise<void> {
    const { sha256 } = image;
    let running = fetching.get(sha256);
    if (!running) {
      const into = { room, part: join(folder, `${part}.${randomBytes(8).toString("hex")}`), to: join(folder, sha256) };
      const own = sharedWork(
        (stop) => fetchInto(into, image, fetch, stop),
        () => fetching.get(sha256) === own && fetching.delete(sha256),
      );
      running = own;
      fetching.set(sha256, own);
    }
    await running.join(signal);
  }

  const openHere = (sha256: string) => open(join(folder, sha256), constants.O_RDONLY | constants.O_NOFOLLOW);

  async function opened(image: ImageContent, fetch: Fetch, signal: AbortSignal): Promise<FileHandle> {
    try {
      return await openHere(image.sha256);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      await fetched(image, fetch, signal);
      return openHere(image.sha256);
    }
  }

  /** Counts the holder before opening, so that nobody removes the file in between. */
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

/** Fetches an image. It is named only when complete, verified and synced: a crash leaves no wrong file. */
async function fetchInto(
  { room, part, to }: { room: Room; part: string; to: string },
  { sha256, sizeBytes }: ImageContent,
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
        await writeAll(file, chunk);
      }
      const { size } = await file.stat();
      if (size !== sizeBytes || hash.digest("hex") !== sha256)
        throw new Fault("precondition", "The image has not arrived as it was sent");
      // The folder is private, so only those who get it opened can read it.
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
