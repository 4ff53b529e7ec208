import { UsageError } from "./exit.js";
import { type Io, readFileText, readSecret } from "./io.js";
import type { Operation } from "./operations/operation.js";

export type Values = Readonly<Record<string, unknown>>;

const flagOf = (name: string): string => `--${name.replaceAll("_", "-")}`;

/** The API takes an empty secret for none: a webhook would not sign, or would keep its old secret. */
export async function readGiven(io: Io, name: string, value: string): Promise<string> {
  const secret = await readSecret(io, value);
  if (secret === "") throw new UsageError(`The value of ${flagOf(name)} is empty`);
  return secret;
}

/** Returns the values for the API, with files and secrets read. */
export async function readFields(io: Io, { options = {} }: Operation, values: Values): Promise<Values> {
  const kindOf = (name: string) => options[name]?.kind;
  const fromInput = Object.keys(values).filter(
    (name) => values[name] === "-" && ["file", "secret"].includes(kindOf(name) ?? ""),
  );
  if (fromInput.length > 1) throw new UsageError(`Only one of ${fromInput.map(flagOf).join(", ")} can be -`);
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (kindOf(name) === "file") read[name] = await readFileText(io, value as string);
    else if (kindOf(name) === "secret") read[name] = await readGiven(io, name, value as string);
    else read[name] = value;
  }
  return read;
}
