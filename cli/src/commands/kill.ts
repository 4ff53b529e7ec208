import { findBuild, nameOf } from "../build-ref.js";
import type { Handler } from "../command.js";
import { note } from "../io.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

export const run: Handler<Specs["kill"]> = async (io, input) => {
  const { client, ...session } = await connect(io);
  const path = await findBuild({ client, ...session }, input.build);
  const query = input.group ? ({ group: "true" } as const) : {};
  await client.api.DELETE("/b/{user}/{number}", { params: { path, query } });
  note(io, `Killed build ${nameOf(path)}`);
  return undefined;
};
