import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { publicName } from "./image-name.js";

/** Ids or names of images, which are remembered across restarts. */
export interface PulledImages {
  has(id: string): Promise<boolean>;
  add(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Older ones are pulled again. */
const maxKept = 2_000;

/** The ids of images that were pulled for builds without a login, and the names that pulls gave to images. */
export const pulledImages = (folder: string): PulledImages => remembered(join(folder, "pulled-images.json"));

/** The public names of images that a build pulled with a login that others may not have. */
export const unprovenImages = (folder: string): PulledImages =>
  // Earlier versions stored names as builds spelled them.
  remembered(join(folder, "unproven-images.json"), (full) => publicName({ full }));

const isText = (id: unknown): id is string => typeof id === "string";

function remembered(file: string, toCurrent = (id: string) => id): PulledImages {
  let ids: Promise<Set<string>> | undefined;
  let written: Promise<unknown> = Promise.resolve();

  async function read(): Promise<Set<string>> {
    const text = await readFile(file, "utf8").catch(() => "[]");
    const found: unknown = JSON.parse(text);
    return new Set(Array.isArray(found) ? found.filter(isText).map(toCurrent) : []);
  }

  /** Without a readable list, images are pulled again. */
  const known = () => {
    ids ??= read().catch(() => new Set<string>());
    return ids;
  };

  async function write(): Promise<void> {
    await writeFile(`${file}.new`, JSON.stringify([...(await known())]), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  return {
    has: async (id) => (await known()).has(id),
    async add(id) {
      const all = await known();
      all.delete(id);
      all.add(id);
      for (const oldest of all) {
        if (all.size <= maxKept) break;
        all.delete(oldest);
      }
      written = written.then(write, write);
      await written;
    },
    async remove(id) {
      if (!(await known()).delete(id)) return;
      written = written.then(write, write);
      await written;
    },
  };
}
