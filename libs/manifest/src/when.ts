import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import { matchesSegments } from "./glob.js";
import { key, mapping, type Values } from "./mapping.js";
import { nearest, suggestion } from "./nearest.js";
import { entry, type Json, list, type Spec, text, type Where, word, wrongType } from "./spec.js";

const maxGlobs = fixedLimit({
  max: 50,
  about: "globs in a key of `when`",
  refusal: "Manifest line N, column M: branch cannot have more than N globs",
});
const maxGlobLength = fixedLimit({
  max: 200,
  about: "characters of a glob in `when`",
  refusal: "Manifest line N, column M: a glob in branch cannot be longer than N characters",
});

/** Reports whether a text matches a glob without `!`. The time is at most proportional to the product of their lengths. */
export const matchesGlob = (glob: string, given: string): boolean =>
  matchesSegments(glob.split("/"), given, { explicitDots: false });

const isExclusion = (glob: string): boolean => glob.startsWith("!");
const withoutMark = (glob: string): string => (isExclusion(glob) ? glob.slice(1) : glob);

/** Reports whether globs select a text. If all are exclusions, they select everything else. Yields before each glob. */
export function* selects(globs: readonly string[], given: string): Generator<string, boolean, void> {
  let selected = globs.every(isExclusion);
  for (const glob of globs) {
    if (selected && !isExclusion(glob)) continue;
    yield glob;
    const matches = matchesGlob(withoutMark(glob), given);
    if (isExclusion(glob) && matches) return false;
    selected ||= matches;
  }
  return selected;
}

const noun = "a glob or a list of globs";

/** Describes a glob. If all texts that it can match are known, it is one of them or has a wildcard. */
const globSchema = (known?: readonly string[]): Json =>
  known
    ? { anyOf: [{ enum: known }, { type: "string", pattern: `^\\s*!?(${known.join("|")})\\s*$|[*?]` }] }
    : { ...entry.schema, pattern: "^(?!\\s*!?\\s*$)" };

/** One glob or a list of globs, each with `!` in front if it excludes. `known` are all texts that it can match. */
const globs = (known?: readonly string[]): Spec<readonly string[]> => ({
  noun,
  schema: { anyOf: [globSchema(known), { type: "array", items: globSchema(known), maxItems: maxGlobs }] },
  none: [],
  read(tree, where) {
    const { value, at } = tree;
    if (typeof value !== "string" && !Array.isArray(value)) return wrongType(tree, where, noun);
    const given = typeof value === "string" ? [{ at, value }] : list(text).read(tree, where);
    if (!given) return undefined;
    if (given.length > maxGlobs) where.complain.addAt(at, `${where.name} cannot have more than ${maxGlobs} globs`);
    for (const one of given) checkGlob(one.value.trim(), one.at, where, known);
    return given.slice(0, maxGlobs).map((one) => one.value.trim());
  },
});

function checkGlob(glob: string, at: number, { complain, name }: Where, known?: readonly string[]): void {
  const plain = withoutMark(glob);
  if (plain === "") complain.addAt(at, `a glob in ${name} is empty`);
  else if (glob.length > maxGlobLength)
    complain.addAt(at, `a glob in ${name} cannot be longer than ${maxGlobLength} characters`);
  else if (known && !known.some((one) => matchesGlob(plain, one))) {
    const meant = nearest(plain, known);
    const others = meant ? suggestion(meant) : `; known are ${known.map((one) => `"${one}"`).join(", ")}`;
    complain.addAt(at, `unknown ${name} "${quoted(plain)}"${others}`);
  }
}

/** What starts builds. */
export const events = ["manual", "push", "pull", "schedule"] as const;

/** The conditions of a manifest and of a job. All that are given have to hold. */
const whenKeys = {
  event: key(globs(events), "What started the build: `manual`, `push`, `pull` or `schedule`", ["push", "pull"]),
  branch: key(
    globs(),
    "The branch that was pushed to, or that a request wants to change; absent for a tag",
    ["main", "release/*"],
    ...["branches", "ref", "refs"],
  ),
  tag: key(globs(), "The tag that was pushed; absent for a branch", "v*", "tags"),
  path: key(
    globs(),
    "Files that the push or request changes, one of which has to match; unknown changes match",
    ["src/**", "!**/*.md"],
    ...["paths", "changes", "files"],
  ),
};

/** A condition for each key that is not empty. */
export type When = { readonly [Name in keyof typeof whenKeys]?: readonly string[] };

export const when = mapping("when", whenKeys, [], () => ({ keys: jobWhenKeys, place: " in a job" }));

/** Returns the conditions that are given; undefined if there are none. */
export function readWhen(values: Values<typeof whenKeys> | undefined): When | undefined {
  const given = Object.entries(values ?? {}).filter(([, list]) => list !== undefined && list.length > 0);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

const states = ["passed", "failed"] as const;
/** The state of a build when a job may run. One that timed out counts as failed. */
export type BuildState = (typeof states)[number];

/** One value, or a list of them. */
const oneOrMore = <T>(one: Spec<T | "">): Spec<readonly T[]> => {
  const many = list(one);
  return {
    noun: one.noun,
    schema: { anyOf: [one.schema, many.schema] },
    none: [],
    read(tree, where) {
      if (!Array.isArray(tree.value)) {
        const value = one.read(tree, where);
        return value === undefined ? undefined : value === "" ? [] : [value];
      }
      return many.read(tree, where)?.flatMap(({ value }) => (value === "" ? [] : [value]));
    },
  };
};

/** The conditions of a job. */
const jobWhenKeys = {
  ...whenKeys,
  status: key(
    oneOrMore(word(states)),
    "Statuses of the build with which the job runs: `passed`, `failed` or both. It never improves the build's status",
    ["passed", "failed"],
  ),
};

export const jobWhen = mapping("when", jobWhenKeys);

/** Returns what is given of a job's conditions. */
export function readJobWhen(values: Values<typeof jobWhenKeys> | undefined): {
  readonly when?: When;
  readonly status?: readonly BuildState[];
} {
  const { status = [], ...others } = values ?? {};
  const when = readWhen(others as Values<typeof whenKeys>);
  return { ...(when && { when }), ...(status.length > 0 && { status }) };
}
