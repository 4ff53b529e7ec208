import { type components, record } from "@service-ci/client";
import { findBuild, pathOf } from "../build-ref.js";
import type { Handler } from "../command.js";
import { buildName, type Fields, plain } from "../format/cells.js";
import { paint, statusColor } from "../format/paint.js";
import { printFields, printTable } from "../format/table.js";
import { elapsed, relative } from "../format/units.js";
import { type Io, note, print, printJson } from "../io.js";
import { recordsAt } from "../pages.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

type Build = components["schemas"]["Build"];

const queueOf = ({ queue }: Build): string => (queue ? `${queue.position}, ${queue.reason}` : "");

const testsOf = ({ tests }: Build): string =>
  tests ? `${tests.total}, ${tests.failed} failed, ${tests.skipped} skipped` : "";

const since = ({ stdout }: Io, time: string): string => (stdout.isTTY ? relative(time) : time);

export const run: Handler<Specs["show"]> = async (io, input) => {
  const session = await connect(io);
  const path = await findBuild(session, input.build);
  const query = io.options.json ? {} : ({ brief: "true" } as const);
  const build = await record(session.client.api.GET("/b/{user}/{number}", { params: { path, query } }));
  const { status, trigger } = build;
  if (io.options.json) await printJson(io, build);
  else if (io.options.quiet) await print(io, status);
  else {
    await printFields(io, [
      ["build", buildName(build)],
      ["status", { text: status, color: statusColor(status) }],
      ["reason", build.reason ?? ""],
      ["queue", queueOf(build)],
      ["namespace", plain(build.namespace)],
      ["trigger", trigger.comment ? `${trigger.type}: ${trigger.comment}` : trigger.type],
      ["tags", build.tags.join(", ")],
      [
        "matrix",
        Object.entries(build.group?.axes ?? {})
          .map((axis) => axis.join("="))
          .join(" "),
      ],
      ["pinned", build.pinned ? "yes" : ""],
      ["tests", testsOf(build)],
      ["created", since(io, build.created_at)],
      ["time", elapsed(build.started_at, build.finished_at)],
      ["url", build.url],
    ]);
    await print(io, `\n${paint(io, "bold", "Jobs")}`);
    const jobs: Fields[] = [];
    for await (const job of recordsAt(session, `${pathOf(path)}/jobs`, query)) jobs.push(job);
    await printTable(io, jobs, ["stage", "name", "status", "time", "reason"]);
    if (build.queue?.reason === "waits for approval") note(io, `\`ci approve ${buildName(build)}\` lets it run`);
  }
};
