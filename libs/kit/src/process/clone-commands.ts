import type { Source } from "@ci/proto/builds/v1/queue";

/** A word that the shell takes as it is. */
export const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** A commit by its id may lie on no branch: what a request wants to merge does not. Then it is asked for by that id. */
const fetchCommit = (ref: string): string[] =>
  /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)
    ? [`git rev-parse -q --verify ${quote(`${ref}^{commit}`)} >/dev/null || git fetch -q origin ${quote(ref)}`]
    : [];

/** The lines that fetch a source: the directory is made, cloned into, entered, and the ref checked out if there is one. */
export const cloneCommands = ({ url, ref, directory }: Source): string[] => [
  `mkdir -p -- ${quote(directory)}`,
  `git clone -q -- ${quote(url)} ${quote(directory)}`,
  `cd -- ${quote(directory)}`,
  ...fetchCommit(ref),
  ...(ref === "" ? [] : [`git checkout -q ${quote(ref)} --`]),
];
