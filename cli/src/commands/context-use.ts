import type { Handler } from "../command.js";
import { contextNamed, readContexts, writeContexts } from "../contexts.js";
import { note } from "../io.js";
import type { Specs } from "../specs.js";

export const run: Handler<Specs["context use"]> = async (io, { name }) => {
  const contexts = await readContexts(io);
  const { server, username } = contextNamed(contexts, name);
  await writeContexts(io, { ...contexts, current: name });
  note(io, `Commands now go to ${server} as ${username}`);
};
