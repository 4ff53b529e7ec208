import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { receiveUpload, type UploadMessage } from "@ci/kit/bytes/upload";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { notFound } from "@ci/kit/rpc/fault";
import { type CacheHeader, FindCacheRequest } from "@ci/proto/builds/v1/queue";
import type { Copies } from "@ci/runner/caches/copies";
import type { BuildQueue } from "@ci/runner/context";

interface Entry {
  /** Only builds in this folder may use the entry. */
  readonly owner: string;
  readonly platform: string;
  readonly name: string;
  readonly key: string;
  readonly sha256: string;
  readonly size: number;
}

const maxEntries = fixedLimit({
  max: 1_000,
  about: "cache entries that `ci run` remembers",
  effect: "the oldest is forgotten",
});

export interface CachePlace extends Pick<Entry, "owner" | "platform"> {
  readonly folder: string;
  readonly copies: Copies;
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === "object" &&
  value !== null &&
  ["owner", "platform", "name", "key", "sha256"].every((field) => typeof Reflect.get(value, field) === "string") &&
  Number.isSafeInteger(Reflect.get(value, "size"));

/** Starts with an empty list if the stored one is not readable. */
async function readEntries(file: string): Promise<Entry[]> {
  try {
    const found: unknown = JSON.parse(await readFile(file, "utf8"));
    return Array.isArray(found) ? found.filter(isEntry) : [];
  } catch {
    return [];
  }
}

/** The caches of a build. The runner's copies hold the content; the list says which copy belongs to which entry. */
export function localCaches({
  owner,
  platform,
  folder,
  copies,
}: CachePlace): Pick<BuildQueue, "findCache" | "readCache" | "putCache"> {
  const file = join(folder, "caches.json");
  const isHere = (entry: Entry) => entry.owner === owner && entry.platform === platform;

  async function hasCopy({ sha256 }: Entry): Promise<boolean> {
    const copy = await copies.open(sha256);
    await copy?.close();
    return copy !== undefined;
  }

  return {
    async findCache(request) {
      const { name, key, format } = FindCacheRequest.fromPartial(request);
      const all = (await readEntries(file)).filter((entry) => isHere(entry) && entry.name === name).reverse();
      for (const entry of [...all.filter((one) => one.key === key), ...all])
        if (await hasCopy(entry)) return { entry: { id: 0, ...entry }, exact: entry.key === key, format };
      return { exact: false };
    },
    // biome-ignore lint/correctness/useYield: a copy that was removed meanwhile cannot be fetched
    async *readCache() {
      throw notFound();
    },
    async putCache(parts) {
      const { header, content } = await receiveUpload(parts as AsyncIterable<UploadMessage<CacheHeader>>);
      let storedSize = 0;
      for await (const bytes of content) storedSize += bytes.length;
      const { name, key, sha256, size } = header;
      const others = (await readEntries(file)).filter(
        (entry) => !isHere(entry) || entry.name !== name || entry.key !== key,
      );
      const entries = [...others, { owner, platform, name, key, sha256, size }].slice(-maxEntries);
      const fresh = `${file}.${process.pid}`;
      await writeFile(fresh, JSON.stringify(entries), { mode: 0o600 });
      await rename(fresh, file);
      return { stored: true, storedSize };
    },
  };
}
