import { ApiError, record } from "@service-ci/client";
import { type BuildRef, findBuild, nameOf } from "../build-ref.js";
import type { Handler } from "../command.js";
import { groupOf } from "../follow-builds.js";
import { buildName } from "../format/cells.js";
import { note } from "../io.js";
import { connect, type Session } from "../session.js";
import type { Specs } from "../specs.js";

type Statuses = ReadonlyMap<string, string>;

/** Returns the statuses of the builds that a kill is for, by name; none if the server does not tell them. */
async function statusesOf(session: Session, path: BuildRef, group: boolean): Promise<Statuses> {
  try {
    const build = await record(session.client.api.GET("/b/{user}/{number}", { params: { path } }));
    const builds = group ? await groupOf(session, build) : [build];
    return new Map(builds.map((one) => [buildName(one), one.status]));
  } catch (error) {
    if (error instanceof ApiError) return new Map();
    throw error;
  }
}

const isFinished = (status: string | undefined): boolean =>
  status !== undefined && !["queued", "running"].includes(status);

export const run: Handler<Specs["kill"]> = async (io, input) => {
  const session = await connect(io);
  const path = await findBuild(session, input.build);
  const { group = false } = input;
  const before = await statusesOf(session, path, group);
  const query = group ? ({ group: "true" } as const) : {};
  await session.client.api.DELETE("/b/{user}/{number}", { params: { path, query } });
  const after = await statusesOf(session, path, group);
  for (const [name, status] of after) {
    const isLate = isFinished(before.get(name)) || (isFinished(status) && status !== "killed");
    note(io, isLate ? `Build ${name} had already finished: ${status.replaceAll("_", " ")}` : `Killed build ${name}`);
  }
  if (after.size === 0) note(io, `Killed build ${nameOf(path)}, unless it had already finished`);
};
