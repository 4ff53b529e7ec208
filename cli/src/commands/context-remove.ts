import type { Handler } from "../command.js";
import { contextNamed, readContexts, writeContexts } from "../contexts.js";
import { UsageError } from "../exit.js";
import { note } from "../io.js";
import type { Specs } from "../specs.js";

export const run: Handler<Specs["logout"] | Specs["context remove"]> = async (io, { name: given }) => {
  const { current, contexts } = await readContexts(io);
  const name = given ?? io.options.context ?? current;
  if (name === undefined) throw new UsageError("You are not signed in");
  const { server } = contextNamed({ contexts }, name);
  const { [name]: _, ...rest } = contexts;
  await writeContexts(io, { current: current === name ? undefined : current, contexts: rest });
  note(io, `Forgot the token for ${server}. It stays valid until you delete it with \`ci tokens delete\``);
};
