import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { isCommitId } from "./change.js";
import { at, listAt } from "./payload.js";

const maxFiles = fixedLimit({
  max: 1_000,
  about: "changed files that the `path` of a manifest's `when` looks at",
  effect: "the changes count as unknown, which match",
});
const maxCharacters = fixedLimit({
  max: 64 * 1024,
  about: "characters of the paths of changed files",
  effect: "the changes count as unknown, which match",
});
/** GitHub silently omits further commits. */
const maxCommits = 2_048;
const maxNames = 20_000;

/** Returns each path once; undefined if there are too many. */
export function boundedFiles(paths: Iterable<string>): string[] | undefined {
  const files = new Set(paths);
  const characters = [...files].reduce((sum, path) => sum + path.length, 0);
  return files.size <= maxFiles && characters <= maxCharacters ? [...files] : undefined;
}

/** Returns the files that the commits of a push name; undefined if some commits are missing or no file is named. */
export function filesOf(commits: readonly unknown[], total = commits.length): string[] | undefined {
  if (commits.length === 0 || commits.length < total || commits.length >= maxCommits) return undefined;
  const paths = new Set<string>();
  for (const commit of commits)
    for (const kind of ["added", "modified", "removed"]) {
      const listed = at(commit, kind);
      if (!Array.isArray(listed)) return undefined;
      if (listed.length > maxNames) return undefined;
      for (const path of listAt(commit, kind)) if (typeof path === "string") paths.add(path);
      if (paths.size > maxFiles) return undefined;
    }
  return paths.size > 0 ? boundedFiles(paths) : undefined;
}

/** Like `filesOf`, but undefined unless the ref is new: a push that may be forced does not name what it drops. */
export const filesOfNewRef = (before: string, commits: readonly unknown[], total?: number): string[] | undefined =>
  isCommitId(before) ? undefined : filesOf(commits, total);
