import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { baseName } from "@ci/manifest/entries";
import { Refused } from "./refused.js";

/** The local folder that takes the place of a repository. */
export interface LocalSource {
  readonly root: string;
  /** The folder's name in the working directory of jobs. */
  readonly name: string;
  readonly remotes: readonly string[];
  readonly isGit: boolean;
  readonly branch?: string | undefined;
  /** The commit that is checked out. Files may differ from it. */
  readonly commit?: string | undefined;
}

type GitError = NodeJS.ErrnoException & { readonly stderr?: string };

/** Returns what git prints, without its last line break. */
async function git(folder: string, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("git", ["-C", folder, ...words]);
  return stdout.replace(/\n$/, "");
}

const maybe = (folder: string, ...words: string[]) => git(folder, ...words).catch(() => undefined);

async function isInRepository(folder: string): Promise<boolean> {
  if (await lstat(join(folder, ".git")).catch(() => undefined)) return true;
  return dirname(folder) !== folder && isInRepository(dirname(folder));
}

/** Returns the top folder of the repository; undefined outside a repository, or without git. */
async function topOf(folder: string): Promise<string | undefined> {
  try {
    return (await git(folder, "rev-parse", "--show-toplevel")) || undefined;
  } catch (error) {
    const { code, stderr = "" } = error as GitError;
    if (code === "ENOENT" || !(await isInRepository(folder))) return undefined;
    // Without git's list of ignored files, private files could get into the build.
    throw new Refused(`git cannot list the files of ${folder}: ${stderr.trim() || (error as Error).message}`);
  }
}

async function remotesOf(root: string): Promise<string[]> {
  const lines = (await maybe(root, "config", "--get-regexp", "^remote\\..*\\.url$"))?.split("\n") ?? [];
  const isOrigin = (line: string) => line.startsWith("remote.origin.url ");
  const sorted = [...lines.filter(isOrigin), ...lines.filter((line) => !isOrigin(line))];
  return sorted.map((line) => line.replace(/^\S+ /, "")).filter(Boolean);
}

/** Finds the repository that a folder is in; outside a repository, the folder is the source. */
export async function findSource(folder: string): Promise<LocalSource> {
  const top = await topOf(folder);
  const root = top ?? folder;
  const remotes = top === undefined ? [] : await remotesOf(root);
  const name = baseName(remotes[0] ?? "").replace(/\.git$/, "") || basename(root) || "repository";
  if (top === undefined) return { root, name, remotes, isGit: false };
  const branch = await maybe(root, "symbolic-ref", "-q", "--short", "HEAD");
  return { root, name, remotes, isGit: true, branch, commit: await maybe(root, "rev-parse", "-q", "--verify", "HEAD") };
}

/** Yields the paths of tracked and untracked files that are not ignored. */
async function* listed(root: string, signal: AbortSignal): AsyncGenerator<string> {
  const words = ["-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const child = spawn("git", words, { stdio: ["ignore", "pipe", "inherit"], signal });
  const ended = once(child, "exit");
  ended.catch(() => undefined);
  let rest: Buffer = Buffer.alloc(0);
  let last = "";
  for await (const bytes of child.stdout) {
    rest = Buffer.concat([rest, bytes]);
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      const path = rest.toString("utf8", 0, end).replace(/\/$/, "");
      // A conflict lists a file three times.
      if (path !== last) yield path;
      last = path;
      rest = rest.subarray(end + 1);
    }
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`git ls-files ended with ${code}`);
}

async function* below(root: string, folder = ""): AsyncGenerator<string> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    if (entry.name === ".git") continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* below(root, path);
    else yield path;
  }
}

/** Yields the paths of a source's files, relative to its root. Submodules count as folders. */
export async function* filesOf(root: string, isGit: boolean, signal: AbortSignal): AsyncGenerator<string> {
  if (!isGit) return yield* below(root);
  for await (const path of listed(root, signal)) {
    const found = await lstat(join(root, path)).catch(() => undefined);
    if (found?.isDirectory()) {
      const inner = join(root, path);
      const isOwn = (await maybe(inner, "rev-parse", "--show-prefix")) === "";
      if (isOwn) for await (const file of filesOf(inner, true, signal)) yield join(path, file);
    } else if (found) yield path;
  }
}
