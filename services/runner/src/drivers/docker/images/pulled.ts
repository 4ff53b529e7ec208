import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HostTrouble } from "../../../endings/errors.js";
import { publicName } from "./image-name.js";

/** Ids or names of images, which are remembered across restarts. */
export interface PulledImages {
  has(id: string): Promise<boolean>;
  add(...added: readonly string[]): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Older ones are pulled again. */
const maxKept = 2_000;

/** The ids of images that were pulled for builds without a login, and the names that pulls gave to images. */
export const pulledImages = (folder: string): PulledImages =>
  // Without a readable list, images are pulled again.
  remembered(join(folder, "pulled-images.json"), { flush: false, whenUnreadable: () => new Set() });

/** The public names of images that a build pulled with a login that others may not have. */
export const unprovenImages = (folder: string): PulledImages =>
  remembered(join(folder, "unproven-images.json"), {
    flush: true,
    // Earlier versions stored names as builds spelled them.
    toCurrent: (full) => publicName({ full }),
    whenUnreadable(cause) {
      throw new HostTrouble("The runner cannot read which images need a login", { cause });
    },
  });

const isText = (id: unknown): id is string => typeof id === "string";

interface Keeping {
  /** Whether what is added also survives the loss of the machine's power. */
  readonly flush: boolean;
  readonly toCurrent?: (id: string) => string;
  /** Returns what an unreadable file stands for, or throws; then `has` and `add` throw until it can be read. */
  readonly whenUnreadable: (cause: unknown) => Set<string>;
}

function remembered(file: string, { flush, toCurrent = (id) => id, whenUnreadable }: Keeping): PulledImages {
  let ids: Promise<Set<string>> | undefined;
  let written: Promise<unknown> = Promise.resolve();

  async function textOf(): Promise<string> {
    try {
      return await readFile(file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return "[]";
      throw error;
    }
  }

  async function read(): Promise<Set<string>> {
    const found: unknown = JSON.parse(await textOf());
    if (!Array.isArray(found)) throw new Error(`${file} is not a list`);
    return new Set(found.filter(isText).map(toCurrent));
  }

  const known = () => {
    ids ??= read()
      .catch(whenUnreadable)
      .catch((error) => {
        ids = undefined;
        throw error;
      });
    return ids;
  };

  async function write(): Promise<void> {
    await writeFile(`${file}.new`, JSON.stringify([...(await known())]), { mode: 0o600, flush });
    await rename(`${file}.new`, file);
  }

  return {
    has: async (id) => (await known()).has(id),
    async add(...added) {
      const all = await known();
      for (const id of added) {
        all.delete(id);
        all.add(id);
      }
      for (const oldest of all) {
        if (all.size <= maxKept) break;
        all.delete(oldest);
      }
      written = written.then(write, write);
      await written;
    },
    async remove(id) {
      const all = await known().catch(() => undefined);
      if (!all?.delete(id)) return;
      written = written.then(write, write);
      await written;
    },
  };
}
