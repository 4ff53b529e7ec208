import { LongField } from "./form.js";

const linesIn = (text: string) => text.split("\n").filter((line) => line.trim() !== "");

function complaintAbout(text: string): string {
  const wrong = linesIn(text).find((line) => line.indexOf("=") < 1);
  return wrong === undefined ? "" : `Write KEY=value, not "${wrong}".`;
}

/** Returns the variables in the text of the field, by key. Throws if a line is not a variable. */
export function variablesIn(text: string): Record<string, string> {
  const complaint = complaintAbout(text);
  if (complaint) throw new Error(complaint);
  return Object.fromEntries(
    linesIn(text).map((line) => [line.slice(0, line.indexOf("=")).trim(), line.slice(line.indexOf("=") + 1)]),
  );
}

interface FieldProps {
  readonly of?: string;
  readonly hint?: string | undefined;
  readonly value?: string | undefined;
}

/** A field for variables of one build. */
export const VariablesField = ({ of = "this build", hint, value }: FieldProps) => (
  <LongField
    name="variables"
    label={`Variables of ${of}, one KEY=value per line`}
    hint={hint}
    value={value}
    rows={3}
    secret
    onInput={({ currentTarget: field }) => field.setCustomValidity(complaintAbout(field.value))}
  />
);
