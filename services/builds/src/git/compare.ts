import { entriesOf, headerOf, type TreeEntry } from "@ci/git/objects";
import type { Remote } from "@ci/git/remote";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { commitOf, describe } from "./manifests.js";

const maxFolders = fixedLimit({
  max: 500,
  about: "folders of a repository that are compared to find the files that a commit changes",
  effect: "the changes count as unknown, which match",
});
const maxFound = fixedLimit({
  max: 1_000,
  about: "changed files of a commit that are looked for in a repository",
  effect: "the changes count as unknown, which match",
});

/** A folder in either or both commits. Its path ends with a slash, except that of the root. */
interface Pair {
  readonly path: string;
  readonly old?: string;
  readonly new?: string;
}

type Entries = ReadonlyMap<string, TreeEntry>;

/** Returns the differences of two folders: changed files, and folders to compare. */
function differences(path: string, before: Entries, after: Entries): { files: string[]; folders: Pair[] } {
  const files: string[] = [];
  const folders: Pair[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(name), after.get(name)];
    if (old?.id === now?.id && old?.kind === now?.kind) continue;
    const [oldFolder, newFolder] = [old, now].map((one) => (one?.kind === "directory" ? one.id : undefined));
    if (oldFolder || newFolder) folders.push({ path: `${path}${name}/`, old: oldFolder, new: newFolder });
    if ((old && !oldFolder) || (now && !newFolder)) files.push(path + name);
  }
  return { files, folders };
}

/**
 * Returns the paths that differ between two commits; undefined if there are too many. Reads only folders that differ,
 * level by level.
 */
export async function changedBetween(remote: Remote, before: string, after: string): Promise<string[] | undefined> {
  const idBytes = remote.hash === "sha1" ? 20 : 32;
  const rootOf = async (sha: string) => headerOf((await commitOf(remote, sha)).object, "tree") ?? "";
  const entries = async (id: string | undefined): Promise<Entries> =>
    new Map((id ? entriesOf(await describe(remote, id), idBytes) : []).map((entry) => [entry.name, entry]));
  const files: string[] = [];
  let folderCount = 0;
  for (
    let level: readonly Pair[] = [{ path: "", old: await rootOf(before), new: await rootOf(after) }];
    level.length > 0;
  ) {
    folderCount += level.length;
    if (folderCount > maxFolders) return undefined;
    await remote.get(...new Set(level.flatMap((pair) => [pair.old ?? [], pair.new ?? []].flat())));
    const next: Pair[] = [];
    for (const { path, old, new: now } of level) {
      const found = differences(path, await entries(old), await entries(now));
      files.push(...found.files);
      next.push(...found.folders);
      if (files.length > maxFound) return undefined;
    }
    level = next;
  }
  return files;
}
