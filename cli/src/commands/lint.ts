import { record } from "@service-ci/client";
import type { Handler } from "../command.js";
import { exit } from "../exit.js";
import { printTable } from "../format/table.js";
import { visible } from "../format/visible.js";
import { print, printJson } from "../io.js";
import { readManifest } from "../manifest.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

export const run: Handler<Specs["lint"]> = async (io, input) => {
  const { name, text: manifest } = await readManifest(io, input.manifest);
  const { client } = await connect(io);
  const body = { manifest, variables: input.var };
  const checked = await record(client.api.POST("/manifests/check", { body }));
  if (io.options.json) await printJson(io, checked);
  else {
    const place = (line: number | null, column: number | null) => (line === null ? "" : `:${line}:${column}`);
    for (const { message, line, column } of checked.errors)
      await print(io, visible(`${name}${place(line, column)}: ${message}`));
    if (checked.valid && !io.options.quiet) await printTable(io, checked.jobs, ["stage", "name", "commands"]);
  }
  return checked.valid ? exit.done : exit.failed;
};
