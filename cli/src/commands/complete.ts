import type { Handler } from "../command.js";
import { completionsOf } from "../complete.js";
import { print } from "../io.js";
import type { Specs } from "../specs.js";
import { names } from "../table.js";

export const run: Handler<Specs["__complete"]> = async (io, { words }) => {
  for (const word of completionsOf(names, words)) await print(io, word);
};
