import { parseDuration } from "@ci/kit/process/setting-types";
import { quoted } from "@ci/kit/rpc/fault";
import { type Json, type Spec, text, wrongType } from "./spec.js";

/** A duration in milliseconds, such as `10min`. */
export const duration: Spec<number | undefined> = {
  noun: "a string",
  schema: { type: "string", pattern: "^\\s*0*[1-9]\\d{0,11}(ms|s|min|h|d)\\s*$" },
  none: undefined,
  read(tree, where) {
    const given = text.read(tree, where)?.trim();
    if (given === undefined) return undefined;
    if (/^0*[1-9]\d{0,11}(ms|s|min|h|d)$/.test(given)) return parseDuration(given);
    where.complain.addAt(tree.at, `${where.name} must be a time such as 90s, 10min or 2h, not "${quoted(given)}"`);
  },
};

/** Describes a whole number, also as a text. Of texts, only the number of digits is checked. */
export const wholeSchema = (min: number, max: number): Json => ({
  type: ["integer", "string"],
  minimum: min,
  maximum: max,
  pattern: `^\\s*${min > 0 ? "(?=.*[1-9])" : ""}\\d{1,${String(max).length}}\\s*$`,
});

/** A whole number within bounds. */
export const whole = (min: number, max: number): Spec<number | undefined> => ({
  noun: "a number",
  schema: wholeSchema(min, max),
  none: undefined,
  read(tree, where) {
    if (typeof tree.value !== "string") return wrongType(tree, where, "a number");
    const given = tree.value.trim();
    const value = Number(given);
    if (/^\d{1,9}$/.test(given) && value >= min && value <= max) return value;
    where.complain.addAt(tree.at, `${where.name} must be a whole number from ${min} to ${max}, not "${quoted(given)}"`);
  },
});
