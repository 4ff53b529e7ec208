import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import type { Source } from "@ci/proto/builds/v1/queue";
import type { Complaints } from "./complaints.js";
import { isFolder, isPlain, sourceEntry, sourceOf } from "./entries.js";
import { key, type Values } from "./mapping.js";
import { wholeSchema } from "./scalar.js";
import { orSpaced, type Placed, placed, type Spec, text, word } from "./spec.js";

const maxDepth = fixedLimit({
  max: 1_000_000,
  about: "commits in the `depth` of a source",
  refusal: "Manifest line L, column C: depth must be a whole number from 1 to N",
});

/** Texts are read as they are written. Other readers of YAML take these words for booleans. */
const flag: Spec<"true" | "false" | ""> = {
  ...word(["true", "false"]),
  schema: orSpaced({ enum: [true, false, "true", "false"] }, "true|false|"),
};

const depth: Spec<string> = { ...text, schema: wholeSchema(1, maxDepth) };

/** The keys of a source that is written as a mapping. */
export const sourceKeys = {
  url: key(placed(text), "The repository", "https://git.example.com/team/app.git", "repository", "repo"),
  ref: key(
    placed(text),
    "The branch, tag or commit to check out; by default the repository's own",
    "main",
    "branch",
    "tag",
  ),
  dir: key(placed(text), "The folder; by default the name of the repository", "app", "folder", "path", "directory"),
  depth: key(placed(depth), "How many commits of the history to fetch; by default all", 1),
  submodules: key(flag, "Whether to fetch the submodules, and theirs", true, "recursive"),
};

type Given = string | Values<typeof sourceKeys>;

function depthOf(given: string): number | undefined {
  const depth = /^\d{1,7}$/.test(given) ? Number(given) : 0;
  return depth >= 1 && depth <= maxDepth ? depth : undefined;
}

const rules = {
  ref: { isValid: isPlain, not: 'begin with "-" or have control characters' },
  dir: { isValid: isFolder, not: 'begin with "-", contain ".." or have control characters' },
};

function readPart(
  name: keyof typeof rules,
  given: Values<typeof sourceKeys>[typeof name],
  complain: Complaints,
): string {
  const value = given?.value.trim() ?? "";
  const { isValid, not } = rules[name];
  if (isValid(value)) return value;
  complain.refuseAt(given?.at ?? 0, `invalid ${name} "${quoted(value)}" in a source; it cannot ${not}`);
  return "";
}

/** Reads a source in either form. Complains about an invalid one. */
export function readSource({ value, at }: Placed<Given>, complain: Complaints): Source | undefined {
  if (typeof value === "string") {
    const source = sourceEntry(value);
    if (!source) complain.add("sources invalid entry", value, at);
    return source;
  }
  const { url, depth, submodules } = value;
  const [ref, dir] = [readPart("ref", value.ref, complain), readPart("dir", value.dir, complain)];
  const source = sourceOf(url?.value.trim() ?? "", ref, dir);
  if (!source) complain.add("sources invalid entry", url?.value, url?.at ?? at);
  const commits = depthOf(depth?.value.trim() ?? "");
  if (depth?.at !== undefined && commits === undefined)
    complain.addAt(depth.at, `depth must be a whole number from 1 to ${maxDepth}, not "${quoted(depth.value)}"`);
  return (
    source && {
      ...source,
      ...(commits === undefined ? {} : { depth: commits }),
      ...(submodules === "true" ? { submodules: true } : {}),
    }
  );
}
