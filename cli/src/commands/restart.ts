import { record } from "@service-ci/client";
import { findBuild } from "../build-ref.js";
import type { Handler } from "../command.js";
import { submitted } from "../follow-builds.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

export const run: Handler<Specs["restart"]> = async (io, input) => {
  const session = await connect(io);
  const path = await findBuild(session, input.build);
  const query = input.group ? ({ group: "true" } as const) : {};
  const body = input.var ? { variables: input.var } : undefined;
  const call = session.client.api.POST("/b/{user}/{number}/restart", { params: { path, query }, body });
  return submitted(io, session, await record(call), input.follow ?? false);
};
