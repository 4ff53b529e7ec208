import { UsageError } from "./exit.js";
import { type Io, readFileText, readSecret } from "./io.js";
import type { Operation } from "./operations/operation.js";

export type Values = Readonly<Record<string, unknown>>;

/** Returns the values for the API, with files and secrets read. */
export async function readFields(io: Io, { options = {} }: Operation, values: Values): Promise<Values> {
  const kindOf = (name: string) => options[name]?.kind;
  const fromInput = Object.keys(values).filter(
    (name) => values[name] === "-" && ["file", "secret"].includes(kindOf(name) ?? ""),
  );
  if (fromInput.length > 1)
    throw new UsageError(`Only one of ${fromInput.map((name) => `--${name}`).join(", ")} can be -`);
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (kindOf(name) === "file") read[name] = await readFileText(io, value as string);
    else if (kindOf(name) === "secret") read[name] = await readSecret(io, value as string);
    else read[name] = value;
  }
  return read;
}
