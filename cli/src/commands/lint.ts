import { record } from "@service-ci/client";
import type { Handler } from "../command.js";
import { complaintLine } from "../complaint-line.js";
import { exit } from "../exit.js";
import { printTable } from "../format/table.js";
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
    for (const complaint of checked.errors) await print(io, complaintLine(name, complaint));
    if (checked.valid && !io.options.quiet) await printTable(io, checked.jobs, ["stage", "name", "commands"]);
  }
  return checked.valid ? exit.done : exit.failed;
};
