import { LongField } from "./form.js";

const linesIn = (text: string) => text.split("\n").filter((line) => line.trim() !== "");

/** Returns the variables in the text of the field, by key. */
export const variablesIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    linesIn(text).map((line) => [line.slice(0, line.indexOf("=")).trim(), line.slice(line.indexOf("=") + 1)]),
  );

function check(field: HTMLTextAreaElement): void {
  const wrong = linesIn(field.value).find((line) => line.indexOf("=") < 1);
  field.setCustomValidity(wrong === undefined ? "" : `Write KEY=value, not "${wrong}".`);
}

/** A field for variables of one build. */
export const VariablesField = ({ hint }: { hint?: string }) => (
  <LongField
    name="variables"
    label="Variables of this build, one KEY=value per line"
    hint={hint}
    rows={3}
    onInput={(event) => check(event.currentTarget)}
  />
);
