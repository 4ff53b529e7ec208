import { type components, each, record } from "@service-ci/client";
import { nameOf, pathOf } from "./build-ref.js";
import { exitOf } from "./exit.js";
import { followOutput } from "./follow.js";
import { buildName } from "./format/cells.js";
import { elapsed } from "./format/units.js";
import { type Io, note, print, printJson, printJsonLine } from "./io.js";
import type { Session } from "./session.js";

type Build = components["schemas"]["Build"];

const refOf = ({ user, number }: Build) => ({ user: user.username, number });

/** Returns all builds of a submission; a matrix has several. */
export async function groupOf({ client }: Pick<Session, "client">, build: Build): Promise<Build[]> {
  if (!build.group) return [build];
  const query = { group: String(build.group.id) };
  const builds: Build[] = [];
  for await (const one of each((page) => client.api.GET("/builds", { params: { query: { ...query, page } } })))
    builds.push(one);
  return builds.sort((a, b) => a.number - b.number);
}

const axesOf = ({ group }: Build): string =>
  Object.entries(group?.axes ?? {})
    .map(([name, value]) => ` ${name}=${value}`)
    .join("");

/** Prints how a build ended. */
async function noteEnd(io: Io, { client }: Session, build: Build): Promise<void> {
  const { user, number } = refOf(build);
  const ended = await record(client.api.GET("/b/{user}/{number}", { params: { path: { user, number } } }));
  const reason = ended.reason ? `: ${ended.reason}` : "";
  const time = elapsed(ended.started_at, ended.finished_at);
  note(io, `Build ${buildName(ended)} ${ended.status.replaceAll("_", " ")}${time && ` in ${time}`}${reason}`);
}

/** Prints the submitted builds, and follows them if requested. Returns the exit code. */
export async function submitted(io: Io, session: Session, build: Build, follows: boolean): Promise<number> {
  const { json, quiet } = io.options;
  const builds = await groupOf(session, build);
  if (!follows) {
    if (json) await printJson(io, build);
    else for (const one of builds) await print(io, quiet ? buildName(one) : `${buildName(one)}\t${one.url}`);
    return exitOf([]);
  }
  const onStop = () => note(io, `The build continues: ci logs -f ${buildName(build)}, ci kill ${buildName(build)}`);
  io.signal.addEventListener("abort", onStop);
  try {
    return await followAll(io, session, builds);
  } finally {
    io.signal.removeEventListener("abort", onStop);
  }
}

async function followAll(io: Io, session: Session, builds: readonly Build[]): Promise<number> {
  const statuses: string[] = [];
  for (const build of builds) {
    note(io, `Build ${nameOf(refOf(build))}${axesOf(build)}: ${build.url}`);
    if (io.options.json) await printJsonLine(io, build);
    statuses.push(await followOutput(io, session, `${pathOf(refOf(build))}/output`, { waitsForServer: true }));
    if (!io.options.quiet) await noteEnd(io, session, build);
  }
  return exitOf(statuses);
}
