import type { Source } from "@ci/proto/builds/v1/queue";

export const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** A commit id may lie on no branch, as in a merge request. Then it is fetched by its id. */
const fetchCommit = (ref: string): string[] =>
  /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)
    ? [`git rev-parse -q --verify ${quote(`${ref}^{commit}`)} >/dev/null || git fetch -q origin ${quote(ref)}`]
    : [];

export const cloneCommands = ({ url, ref, directory }: Source): string[] => [
  `mkdir -p -- ${quote(directory)}`,
  `git clone -q -- ${quote(url)} ${quote(directory)}`,
  `cd -- ${quote(directory)}`,
  ...fetchCommit(ref),
  ...(ref === "" ? [] : [`git checkout -q ${quote(ref)} --`]),
];
