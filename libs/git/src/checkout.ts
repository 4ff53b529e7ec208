import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { type Pace, pacer } from "@ci/kit/turns/pacer";
import { entriesIn, headerOf, type TreeEntry } from "./objects.js";
import type { GitObject } from "./pack.js";
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

interface CheckoutLimits {
  readonly maxPaths: number;
  /** The limit of all paths together. */
  readonly maxPathBytes: number;
}

const kinds = new Map<string, CheckedOut["kind"]>([
  ["100755", "executable"],
  ["120000", "link"],
]);
const submodule = "160000";
const longestPathBytes = 4_096;
const maxCommitBytes = fixedLimit({
  max: 1024 ** 2,
  unit: "bytes",
  about: "commit of a source that the runner itself fetches",
  refusal: "The repository could not be fetched: commit too large",
});
/** Objects in one request. Fewer are asked for if these are too large together. */
const batch = 500;
/** Paths that are handled between two turns of the event loop. */
const slicePaths = 2_000;
const none = Buffer.alloc(0);

const malformed = (): Error => new Error("malformed directory");

const isName = (name: string): boolean =>
  !["", ".", ".."].includes(name) && !name.includes("/") && name.toLowerCase() !== ".git";

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

const limitError = (what: string): Error => new Error(`${tooLargeText}: ${what}`);

/** Counts every path: a few objects can make endless many. */
function pathCounter({ maxPaths, maxPathBytes }: CheckoutLimits) {
  let paths = 0;
  let bytes = 0;
  return {
    checkRoom(more: number): void {
      if (paths + more > maxPaths) throw limitError(`more than ${maxPaths} files and folders`);
    },
    add(path: string): void {
      const length = Buffer.byteLength(path);
      if (length > longestPathBytes) throw malformed();
      paths++;
      bytes += length;
      if (bytes > maxPathBytes) throw limitError(`all paths together are longer than ${maxPathBytes} bytes`);
    },
  };
}

interface Listing {
  readonly remote: Remote;
  readonly counted: ReturnType<typeof pathCounter>;
  readonly pace: Pace;
}

async function namesIn(directory: GitObject, { remote, counted, pace }: Listing): Promise<TreeEntry[]> {
  const entries = new Map<string, TreeEntry>();
  for (const entry of entriesIn(directory, remote.hash === "sha1" ? 20 : 32)) {
    if (!isName(entry.name) || entries.has(entry.name)) throw malformed();
    entries.set(entry.name, entry);
    counted.checkRoom(entries.size);
    await pace(1);
  }
  return [...entries.values()];
}

/** Lists the folders of a commit level by level. */
async function listed(root: string, listing: Listing): Promise<Listed[]> {
  const { remote, counted, pace } = listing;
  const all: Listed[] = [];
  let level = new Map([[root, [""]]]);
  while (level.size > 0) {
    const next = new Map<string, string[]>();
    for await (const { id, data } of inBatches(remote, [...level.keys()])) {
      const entries = await namesIn({ type: "tree", data }, listing);
      for (const folder of level.get(id)!) {
        counted.checkRoom(entries.length);
        for (const entry of entries) {
          const path = `${folder}${entry.name}`;
          counted.add(path);
          if (entry.kind === "directory") addTo(next, entry.id, `${path}/`);
          else all.push({ path, entry });
          await pace(1);
        }
        await pace(1);
      }
    }
    level = next;
  }
  return all;
}

async function treeOf(remote: Remote, commitId: string): Promise<string> {
  const commit = (await remote.get(commitId)).get(commitId)!;
  if (commit.type !== "commit") throw new Error("not a commit");
  if (commit.data.length > maxCommitBytes) throw new Error("commit too large");
  remote.forget(commitId);
  return headerOf(commit, "tree") ?? "";
}

/**
 * Yields all files of a commit, in no particular order. Holds the names of all files and the contents of a batch, which
 * are at most as large as the remote's limit of a response. A server that does not filter sends all contents at once.
 */
export async function* checkout(remote: Remote, commitId: string, limits: CheckoutLimits): AsyncGenerator<CheckedOut> {
  const pace = pacer(slicePaths);
  const files = await listed(await treeOf(remote, commitId), { remote, counted: pathCounter(limits), pace });
  const byId = new Map<string, Listed[]>();
  for (const file of files) {
    if (file.entry.mode === submodule) yield { path: file.path, kind: "folder", data: none };
    else addTo(byId, file.entry.id, file);
    await pace(1);
  }
  for await (const { id, data } of inBatches(remote, [...byId.keys()]))
    for (const { path, entry } of byId.get(id)!) {
      yield { path, kind: kinds.get(entry.mode) ?? "file", data };
      await pace(1);
    }
}
