import { record } from "@service-ci/client";
import type { Handler } from "../command.js";
import { paint } from "../format/paint.js";
import { printTable } from "../format/table.js";
import { relative } from "../format/units.js";
import { print, printJson } from "../io.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

const counts = ["queued", "running", "runners"];

export const run: Handler<Specs["queue"]> = async (io, { hours }) => {
  const { client } = await connect(io);
  const query = hours === undefined ? {} : { hours };
  const queue = await record(client.api.GET("/queue", { params: { query } }));
  const { drivers, history, oldest_since: oldest } = queue;
  if (io.options.json) await printJson(io, queue);
  else if (io.options.quiet) for (const { driver } of drivers) await print(io, driver);
  else {
    await printTable(io, drivers, ["driver", ...counts]);
    if (oldest) await print(io, `\nThe oldest build was queued ${io.stdout.isTTY ? relative(oldest) : `at ${oldest}`}`);
    await print(io, `\n${paint(io, "bold", `History, in periods of ${queue.period_minutes} min`)}`);
    await printTable(io, history, ["at", ...counts, "started", "finished"]);
  }
};
