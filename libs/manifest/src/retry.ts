import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { key, mapping } from "./mapping.js";
import { whole } from "./scalar.js";
import { list, type Spec, wrongType } from "./spec.js";
import { isMapping } from "./tree.js";

/** How often a failed script runs again. */
export interface Retry {
  readonly times: number;
  /** Only after these exit codes; empty for every code but 0. */
  readonly codes: readonly number[];
}

const maxTimes = fixedLimit({
  max: 5,
  about: "times that the script of a job runs again",
  refusal: "Manifest line L, column C: retry must be a whole number from 0 to N",
});

const times = whole(0, maxTimes);
const keys = mapping("retry", {
  times: key(times, `How often the script runs again, at most ${maxTimes} times`, 2),
  codes: key(list(whole(1, 255)), "The exit codes after which it runs again; by default every code but 0", [75]),
});

const noun = "a number or a mapping";

/** A number of times, or that with exit codes. */
export const retry: Spec<Retry | undefined> = {
  noun,
  schema: { anyOf: [times.schema, keys.schema] },
  none: undefined,
  read(tree, where) {
    if (Array.isArray(tree.value)) return wrongType(tree, where, noun);
    if (!isMapping(tree)) {
      const count = times.read(tree, where);
      return count === undefined ? undefined : { times: count, codes: [] };
    }
    const values = keys.read(tree, where);
    return values && { times: values.times ?? 0, codes: (values.codes ?? []).flatMap(({ value }) => value ?? []) };
  },
};
