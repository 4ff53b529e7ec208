import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { key, mapping, mappingSchema } from "./mapping.js";
import { whole } from "./scalar.js";
import { list, type Spec, wrongType } from "./spec.js";
import { type Entry, isEmpty, isMapping } from "./tree.js";

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
const keys = {
  times: key(
    times,
    `How often the script runs again, at most ${maxTimes} times; needed with codes`,
    2,
    ...["max", "limit", "attempts"],
  ),
  codes: key(
    list(whole(1, 255)),
    "The exit codes after which it runs again; by default every code but 0",
    [75],
    ...["exit_codes", "exit_code", "exit_status"],
  ),
};
const mapped = mapping("retry", keys);

const withCodes = { type: "object", properties: { codes: { type: "array", minItems: 1 } }, required: ["codes"] };
const noun = "a number or a mapping";
const isGiven = (entry: Entry | undefined) => entry !== undefined && !isEmpty(entry.tree);

/** A number of times, or that with exit codes. */
export const retry: Spec<Retry | undefined> = {
  noun,
  schema: { anyOf: [times.schema, { ...mapped.schema, not: withCodes }, mappingSchema(keys, ["times"])] },
  none: undefined,
  read(tree, where) {
    if (Array.isArray(tree.value)) return wrongType(tree, where, noun);
    if (!isMapping(tree)) {
      const count = times.read(tree, where);
      return count === undefined ? undefined : { times: count, codes: [] };
    }
    if (isGiven(tree.value.get("codes")) && !isGiven(tree.value.get("times")))
      where.complain.addAt(
        tree.at,
        "retry.times is missing: say how often the script runs again, as in {times: 2, codes: [75]}",
      );
    const values = mapped.read(tree, where);
    return values && { times: values.times ?? 0, codes: (values.codes ?? []).flatMap(({ value }) => value ?? []) };
  },
};
