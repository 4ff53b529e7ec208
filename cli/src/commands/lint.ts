import { record } from "@service-ci/client";
import type { Handler } from "../command.js";
import { complaintLine } from "../complaint-line.js";
import { exit } from "../exit.js";
import { printTable } from "../format/table.js";
import { print, printJson } from "../io.js";
import { readManifests } from "../manifest.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

export const run: Handler<Specs["lint"]> = async (io, input) => {
  const manifests = await readManifests(io, input.manifest);
  const { client } = await connect(io);
  const columns = [...(manifests.length > 1 ? ["manifest"] : []), "stage", "name", "commands"];
  const jobs = [];
  let code: number = exit.done;
  for (const { name, text: manifest } of manifests) {
    const body = { manifest, variables: input.var };
    const checked = await record(client.api.POST("/manifests/check", { body }));
    if (!checked.valid) code = exit.failed;
    if (io.options.json) await printJson(io, manifests.length > 1 ? { manifest: name, ...checked } : checked);
    else for (const complaint of checked.errors) await print(io, complaintLine(name, complaint));
    if (checked.valid) jobs.push(...checked.jobs.map((job) => ({ ...job, manifest: name })));
  }
  const isTable = !io.options.json && !io.options.quiet;
  if (isTable && (code === exit.done || jobs.length > 0)) await printTable(io, jobs, columns);
  return code;
};
