import { entriesOf, headerOf, type TreeEntry } from "@ci/git/objects";
import type { Remote } from "@ci/git/remote";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { pacer } from "@ci/kit/turns/pacer";
import { commitOf, describe } from "./manifests.js";

const maxFolders = fixedLimit({
  max: 500,
  about: "folders of a repository that are compared to find the files that a commit changes",
  effect: "the changes count as unknown, which match",
});
const maxEntries = fixedLimit({
  max: 1_000_000,
  about: "entries of folders that are compared to find the files that a commit changes",
  effect: "the changes count as unknown, which match",
});
const maxFound = fixedLimit({
  max: 1_000,
  about: "changed files of a commit that are looked for in a repository",
  effect: "the changes count as unknown, which match",
});
const sliceEntries = 10_000;

/** A folder in either or both commits. Its path ends with a slash, except that of the root. */
interface Pair {
  readonly path: string;
  readonly old?: string;
  readonly new?: string;
}

type Entries = ReadonlyMap<string, TreeEntry>;

interface Differences {
  readonly files: readonly string[];
  readonly folders: readonly Pair[];
}

/** Returns the differences of two folders: changed files, and folders to compare. Their paths begin in the folder. */
function differences(before: Entries, after: Entries): Differences {
  const files: string[] = [];
  const folders: Pair[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(name), after.get(name)];
    if (old?.id === now?.id && old?.mode === now?.mode) continue;
    const [oldFolder, newFolder] = [old, now].map((one) => (one?.kind === "directory" ? one.id : undefined));
    if (oldFolder || newFolder) folders.push({ path: `${name}/`, old: oldFolder, new: newFolder });
    if ((old && !oldFolder) || (now && !newFolder)) files.push(name);
  }
  return { files, folders };
}

/** Compares two folders once, however often a commit has them. Returns undefined after too many entries. */
function comparing(remote: Remote) {
  const idBytes = remote.hash === "sha1" ? 20 : 32;
  const pace = pacer(sliceEntries);
  const known = new Map<string, Differences>();
  let entryCount = 0;

  async function entries(id: string | undefined): Promise<Entries> {
    const found = id ? await entriesOf(await describe(remote, id), idBytes) : [];
    entryCount += found.length;
    await pace(found.length);
    return new Map(found.map((entry) => [entry.name, entry]));
  }

  return async ({ old, new: now }: Pair): Promise<Differences | undefined> => {
    const key = `${old} ${now}`;
    const earlier = known.get(key);
    if (earlier) return earlier;
    const [before, after] = [await entries(old), await entries(now)];
    if (entryCount > maxEntries) return undefined;
    const found = differences(before, after);
    known.set(key, found);
    return found;
  };
}

/** Returns the paths that differ between two commits; undefined if too many do. Reads only folders that differ, by level. */
export async function changedBetween(remote: Remote, before: string, after: string): Promise<string[] | undefined> {
  const rootOf = async (sha: string) => headerOf((await commitOf(remote, sha)).object, "tree") ?? "";
  const compare = comparing(remote);
  const files: string[] = [];
  let folderCount = 1;
  for (
    let level: readonly Pair[] = [{ path: "", old: await rootOf(before), new: await rootOf(after) }];
    level.length > 0;
  ) {
    await remote.get(...new Set(level.flatMap((pair) => [pair.old ?? [], pair.new ?? []].flat())));
    const next: Pair[] = [];
    for (const pair of level) {
      const found = await compare(pair);
      if (!found) return undefined;
      folderCount += found.folders.length;
      if (files.length + found.files.length > maxFound || folderCount > maxFolders) return undefined;
      for (const file of found.files) files.push(pair.path + file);
      for (const folder of found.folders) next.push({ ...folder, path: pair.path + folder.path });
    }
    level = next;
  }
  return files;
}
