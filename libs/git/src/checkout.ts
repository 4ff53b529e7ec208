import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { entriesOf, headerOf, type TreeEntry } from "./objects.js";
import { tooLargeText } from "./pack-limits.js";
import type { Remote } from "./remote.js";

/** A file of a commit, or a folder that has none. Names are checked: the path leads nowhere else. */
export interface CheckedOut {
  readonly path: string;
  readonly kind: "file" | "executable" | "link" | "folder";
  /** The target of a link, which may be anywhere. */
  readonly data: Buffer;
}

interface Listed {
  readonly path: string;
  readonly entry: TreeEntry;
}

const kinds = new Map<string, CheckedOut["kind"]>([
  ["100755", "executable"],
  ["120000", "link"],
]);
const submodule = "160000";
const maxPathBytes = 4_096;
/** Objects in one request. Fewer are asked for if these are too large together. */
const batch = 500;
const none = Buffer.alloc(0);

const malformed = (): Error => new Error("malformed directory");

function checkNames(entries: readonly TreeEntry[]): void {
  const names = new Set(entries.map(({ name }) => name));
  if (names.size < entries.length) throw malformed();
  for (const name of names)
    if (["", ".", ".."].includes(name) || name.includes("/") || name.toLowerCase() === ".git") throw malformed();
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof FetchFailed ? error.reason === tooLargeText : (error as Error).message === tooLargeText;

/** Yields objects, and forgets each afterwards. Asks for fewer at once if they are too large together. */
async function* inBatches(remote: Remote, ids: readonly string[]): AsyncGenerator<{ id: string; data: Buffer }> {
  let size = batch;
  for (let at = 0; at < ids.length; ) {
    const some = ids.slice(at, at + size);
    const objects = await remote.get(...some).catch((error) => {
      if (!isTooLarge(error) || some.length === 1) throw error;
      return undefined;
    });
    if (!objects) {
      size = Math.ceil(some.length / 2);
      continue;
    }
    for (const id of some) {
      yield { id, data: objects.get(id)!.data };
      remote.forget(id);
    }
    at += some.length;
  }
}

function addTo<T>(map: Map<string, T[]>, key: string, value: T): void {
  const others = map.get(key);
  if (others) others.push(value);
  else map.set(key, [value]);
}

/** Lists the folders of a commit level by level. Counts every path: a few objects can make endless many. */
async function listed(remote: Remote, root: string, maxPaths: number): Promise<Listed[]> {
  const idBytes = remote.hash === "sha1" ? 20 : 32;
  const all: Listed[] = [];
  let paths = 0;
  let level = new Map([[root, [""]]]);
  while (level.size > 0) {
    const next = new Map<string, string[]>();
    for await (const { id, data } of inBatches(remote, [...level.keys()])) {
      const entries = entriesOf({ type: "tree", data }, idBytes, maxPaths - paths + 1);
      checkNames(entries);
      for (const folder of level.get(id)!) {
        paths += entries.length;
        if (paths > maxPaths) throw new Error(`${tooLargeText}: more than ${maxPaths} files and folders`);
        for (const entry of entries) {
          const path = `${folder}${entry.name}`;
          if (Buffer.byteLength(path) > maxPathBytes) throw malformed();
          if (entry.kind === "directory") addTo(next, entry.id, `${path}/`);
          else all.push({ path, entry });
        }
      }
    }
    level = next;
  }
  return all;
}

/**
 * Yields all files of a commit, in no particular order. Holds the names of all files and the contents of a batch, which
 * are at most as large as the remote's limit of a response. A server that does not filter sends all contents at once.
 */
export async function* checkout(remote: Remote, commitId: string, maxPaths: number): AsyncGenerator<CheckedOut> {
  const commit = (await remote.get(commitId)).get(commitId)!;
  if (commit.type !== "commit") throw new Error("not a commit");
  const files = await listed(remote, headerOf(commit, "tree") ?? "", maxPaths);
  const byId = new Map<string, Listed[]>();
  for (const file of files) {
    if (file.entry.mode === submodule) yield { path: file.path, kind: "folder", data: none };
    else addTo(byId, file.entry.id, file);
  }
  for await (const { id, data } of inBatches(remote, [...byId.keys()]))
    for (const { path, entry } of byId.get(id)!) yield { path, kind: kinds.get(entry.mode) ?? "file", data };
}
