import type { Handler } from "../command.js";
import { readContexts } from "../contexts.js";
import { printTable } from "../format/table.js";
import { print, printJson } from "../io.js";
import type { Specs } from "../specs.js";

export const run: Handler<Specs["context list"]> = async (io) => {
  const { current, contexts } = await readContexts(io);
  const rows = Object.entries(contexts).map(([name, { server, username }]) => ({
    name,
    server,
    username,
    current: name === current,
  }));
  if (io.options.json) await printJson(io, rows);
  else if (io.options.quiet) for (const { name } of rows) await print(io, name);
  else await printTable(io, rows, ["name", "server", "username", "current"]);
};
