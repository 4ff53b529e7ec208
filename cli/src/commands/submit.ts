import { record } from "@service-ci/client";
import type { Handler } from "../command.js";
import { submitted } from "../follow-builds.js";
import { readManifest, withNamespace } from "../manifest.js";
import { connect } from "../session.js";
import type { Specs } from "../specs.js";

export const run: Handler<Specs["submit"]> = async (io, input) => {
  const { text } = await readManifest(io, input.manifest);
  const manifest = input.namespace === undefined ? text : await withNamespace(text, input.namespace);
  const session = await connect(io);
  const body = { manifest, comment: input.comment, tags: input.tag && [...input.tag], variables: input.var };
  const build = await record(session.client.api.POST("/builds", { body }));
  return submitted(io, session, build, input.follow ?? false);
};
