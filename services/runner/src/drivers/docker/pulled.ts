import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The ids of images that were pulled for builds, also before a restart. */
export interface PulledImages {
  has(id: string): Promise<boolean>;
  add(id: string): Promise<void>;
}

/** Older ones are pulled again. */
const maxKept = 1_000;

const isId = (id: unknown): id is string => typeof id === "string" && /^sha256:[0-9a-f]{64}$/.test(id);

export function pulledImages(folder: string): PulledImages {
  const file = join(folder, "pulled-images.json");
  let ids: Promise<Set<string>> | undefined;
  let written: Promise<unknown> = Promise.resolve();

  async function read(): Promise<Set<string>> {
    const text = await readFile(file, "utf8").catch(() => "[]");
    const found: unknown = JSON.parse(text);
    return new Set(Array.isArray(found) ? found.filter(isId) : []);
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
  };
}
