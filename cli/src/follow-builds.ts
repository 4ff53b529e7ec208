import { type components, each, record } from "@service-ci/client";
import { pathOf } from "./build-ref.js";
import { exitOf, Failure } from "./exit.js";
import { explain, lostNote } from "./explain.js";
import { failedJobs } from "./failed-jobs.js";
import { followOutput } from "./follow.js";
import { buildName, plain } from "./format/cells.js";
import { elapsed } from "./format/units.js";
import { type Io, note, print, printJson, printJsonLine } from "./io.js";
import { retried } from "./retry.js";
import type { Session } from "./session.js";

type Build = components["schemas"]["Build"];

const refOf = ({ user, number }: Build) => ({ user: user.username, number });

/** Returns all builds of a submission; a matrix has several. Their output is left out, unless they are to be printed whole. */
export async function groupOf({ client }: Pick<Session, "client">, build: Build, whole = false): Promise<Build[]> {
  if (!build.group) return [build];
  const query = { group: String(build.group.id), ...(whole ? {} : { brief: "true" as const }) };
  const builds: Build[] = [];
  for await (const one of each((page) => client.api.GET("/builds", { params: { query: { ...query, page } } })))
    builds.push(one);
  return builds.sort((a, b) => a.number - b.number);
}

const axesOf = ({ group }: Build): string =>
  Object.entries(group?.axes ?? {})
    .map(([name, value]) => ` ${name}=${value}`)
    .join("");

const hinted = ["failed", "timed_out", "passed_with_failures"];

/** Prints how a build ended. Without the server's details, only the status. */
async function noteEnd(io: Io, session: Session, build: Build, status: string): Promise<void> {
  const params = { path: refOf(build), query: { brief: "true" as const } };
  const ended = await record(session.client.api.GET("/b/{user}/{number}", { params })).catch(() => undefined);
  io.signal.throwIfAborted();
  const reason = ended?.reason ? `: ${ended.reason}` : "";
  const time = elapsed(ended?.started_at ?? null, ended?.finished_at ?? null);
  note(io, `Build ${buildName(build)} ${status.replaceAll("_", " ")}${time && ` in ${time}`}${reason}`);
  if (hinted.includes(status)) await noteFailedJobs(io, session, build).catch(() => undefined);
  io.signal.throwIfAborted();
}

async function noteFailedJobs(io: Io, session: Session, build: Build): Promise<void> {
  const names: string[] = [];
  for await (const { name } of failedJobs(session, pathOf(refOf(build)))) names.push(name);
  if (names.length > 0) note(io, `Failed: ${names.join(", ")}. See \`ci logs --failed ${buildName(build)}\``);
}

const placeOf = ({ namespace }: Build): string => (namespace ? ` in ${plain(namespace)}` : "");

const startOf = (build: Build): string => `Build ${buildName(build)}${placeOf(build)}${axesOf(build)}: ${build.url}`;

function incomplete(build: Build, error: unknown): Failure {
  const { message, code } = explain(error);
  return new Failure(
    `${buildName(build)} was submitted, but the builds of its matrix cannot be listed: ${message}`,
    code,
  );
}

async function printGroup(io: Io, session: Session, build: Build): Promise<void> {
  const lineOf = (one: Build) => [buildName(one), one.url, ...(one.namespace ? [plain(one.namespace)] : [])].join("\t");
  const printOne = (one: Build) => print(io, io.options.quiet ? buildName(one) : lineOf(one));
  const builds = await groupOf(session, build).catch(async (error) => {
    await printOne(build);
    throw incomplete(build, error);
  });
  for (const one of builds) await printOne(one);
}

/** Returns all builds of a submission, as soon as the server lists them. */
async function groupToFollow(io: Io, session: Session, build: Build): Promise<Build[]> {
  let failed = false;
  const onError = (error: unknown) => {
    if (!failed) note(io, startOf(build));
    failed = true;
    note(io, lostNote(error));
  };
  return retried(() => groupOf(session, build, io.options.json), { signal: io.signal, onError }).catch((error) => {
    throw incomplete(build, error);
  });
}

/** Prints the submitted builds, and follows them if requested. Returns the exit code. */
export async function submitted(io: Io, session: Session, build: Build, follows: boolean): Promise<number> {
  if (!follows) {
    if (io.options.json) await printJson(io, build);
    else await printGroup(io, session, build);
    return exitOf([]);
  }
  const onStop = () => note(io, `The build continues: ci logs -f ${buildName(build)}, ci kill ${buildName(build)}`);
  io.signal.addEventListener("abort", onStop);
  try {
    return await followAll(io, session, await groupToFollow(io, session, build));
  } finally {
    io.signal.removeEventListener("abort", onStop);
  }
}

async function followAll(io: Io, session: Session, builds: readonly Build[]): Promise<number> {
  const statuses: string[] = [];
  for (const build of builds) {
    note(io, startOf(build));
    if (io.options.json) await printJsonLine(io, build);
    const status = await followOutput(io, session, `${pathOf(refOf(build))}/output`, { waitsForServer: true });
    statuses.push(status);
    if (!io.options.quiet) await noteEnd(io, session, build, status);
  }
  return exitOf(statuses);
}
