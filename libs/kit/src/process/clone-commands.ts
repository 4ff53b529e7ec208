import type { Source } from "@ci/proto/builds/v1/queue";

export const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const isCommit = (ref: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(ref);
const depthOption = ({ depth }: Source): string => (depth ? ` --depth ${depth}` : "");

/** A short history comes from a branch or tag. That of a commit is fetched below. */
function clone(source: Source): string {
  const { url, ref, directory } = source;
  const from = source.depth && ref !== "" && !isCommit(ref) ? ` --branch ${quote(ref)}` : "";
  return `git clone -q${depthOption(source)}${from} -- ${quote(url)} ${quote(directory)}`;
}

/** A commit id may lie on no branch, as in a merge request. Then it is fetched by its id. */
const fetchCommit = (source: Source): string[] => {
  const { ref } = source;
  const isThere = `git rev-parse -q --verify ${quote(`${ref}^{commit}`)} >/dev/null`;
  return isCommit(ref) ? [`${isThere} || git fetch -q${depthOption(source)} origin ${quote(ref)}`] : [];
};

function checkout({ ref, branch }: Source): string[] {
  if (ref === "") return [];
  const detached = `git checkout -q ${quote(ref)} --`;
  return branch ? [`git checkout -q -B ${quote(branch)} ${quote(ref)} -- || ${detached}`] : [detached];
}

const submodules = (source: Source): string[] =>
  source.submodules ? [`git submodule -q update --init --recursive${depthOption(source)}`] : [];

/** Returns the lines of a script that clones a repository with git. */
export const cloneCommands = (source: Source): string[] => [
  `mkdir -p -- ${quote(source.directory)}`,
  clone(source),
  `cd -- ${quote(source.directory)}`,
  ...fetchCommit(source),
  ...checkout(source),
  ...submodules(source),
];
