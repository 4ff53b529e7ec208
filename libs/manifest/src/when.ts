import { key, mapping } from "./mapping.js";
import { list, type Spec, word } from "./spec.js";
import { isMapping } from "./tree.js";

const statuses = ["passed", "failed"] as const;

/** When a job runs. */
export interface When {
  /** The states of the build in which it runs. A build that timed out counts as failed. */
  readonly status: readonly (typeof statuses)[number][];
}

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

const keys = mapping("when", {
  status: key(
    oneOrMore(word(statuses)),
    "The states of the build in which the job runs: `passed`, `failed` or both. It never makes the build's status better",
    ["passed", "failed"],
  ),
});

/** The conditions of a job. */
export const when: Spec<When | undefined> = {
  noun: "a mapping",
  schema: keys.schema,
  none: undefined,
  read(tree, where) {
    if (!isMapping(tree)) return keys.read(tree, where) as undefined;
    const status = keys.read(tree, where)?.status ?? [];
    return { status: status.length > 0 ? status : ["passed"] };
  },
};
