/** What to clone where. An empty `ref` stands for the repository's default branch. */
interface CloneSource {
  readonly url: string;
  readonly ref: string;
  readonly directory: string;
  readonly depth?: number | undefined;
  readonly branch?: string | undefined;
  readonly submodules?: boolean | undefined;
}

export const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const isCommit = (ref: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(ref);
/** Expressions, and names that only the clone has, can be checked out without a fetch. */
const isFullName = (ref: string): boolean => /^refs\/(?!remotes\/)(?!.*@\{)[^\s~^:?*[\\]+$/.test(ref);
const depthOption = ({ depth }: CloneSource): string => (depth ? ` --depth ${depth}` : "");

/** A short history comes from a branch or tag. That of a commit, or of a ref's full name, is fetched below. */
function clone(source: CloneSource): string {
  const { url, ref, directory } = source;
  const isName = ref !== "" && !isCommit(ref) && !isFullName(ref);
  const from = source.depth && isName ? ` --branch ${quote(ref)}` : "";
  return `git clone -q${depthOption(source)}${from} -- ${quote(url)} ${quote(directory)}`;
}

/** A commit id may lie on no branch, as in a merge request. Then it is fetched by its id. */
const fetchCommit = (source: CloneSource): string[] => {
  const { ref } = source;
  const isThere = `git rev-parse -q --verify ${quote(`${ref}^{commit}`)} >/dev/null`;
  return isCommit(ref) ? [`${isThere} || git fetch -q${depthOption(source)} origin ${quote(ref)}`] : [];
};

function checkout(source: CloneSource): string[] {
  const { ref, branch } = source;
  if (ref === "") return [];
  if (isFullName(ref))
    return [`git fetch -q${depthOption(source)} origin ${quote(ref)}`, "git checkout -q FETCH_HEAD --"];
  const detached = `git checkout -q ${quote(ref)} --`;
  return branch ? [`git checkout -q -B ${quote(branch)} ${quote(ref)} -- || ${detached}`] : [detached];
}

const submodules = (source: CloneSource): string[] =>
  source.submodules ? [`git submodule -q update --init --recursive${depthOption(source)}`] : [];

/** Returns the lines of a script that clones a repository with git. */
export const cloneCommands = (source: CloneSource): string[] => [
  `mkdir -p -- ${quote(source.directory)}`,
  clone(source),
  `cd -- ${quote(source.directory)}`,
  ...fetchCommit(source),
  ...checkout(source),
  ...submodules(source),
];
