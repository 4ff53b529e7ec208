import type { Handler } from "../command.js";
import { completionsOf } from "../complete.js";
import { print } from "../io.js";
import type { Specs } from "../specs.js";
import { aliases, groups, table } from "../table.js";

export const run: Handler<Specs["__complete"]> = async (io, { words }) => {
  for (const word of completionsOf({ table, groups, aliases }, words)) await print(io, word);
  return undefined;
};
