import { type components, each, encodeName } from "@service-ci/client";
import { type BuildRef, findBuild, nameOf, pathOf } from "../build-ref.js";
import type { Handler } from "../command.js";
import { exit, Failure } from "../exit.js";
import { visible } from "../format/visible.js";
import { note, printJsonLine } from "../io.js";
import { saveContent } from "../save-content.js";
import { connect, type Session } from "../session.js";
import type { Specs } from "../specs.js";

type Artifact = Pick<components["schemas"]["Artifact"], "name" | "size" | "sha256">;

/** Returns the artifacts with these names; without names, all artifacts that have content. */
async function wantedOf({ client }: Session, build: BuildRef, names: readonly string[]): Promise<Artifact[]> {
  const found: Artifact[] = [];
  const call = (page: number) =>
    client.api.GET("/b/{user}/{number}/artifacts", { params: { path: build, query: { page } } });
  for await (const artifact of each(call))
    if (names.length === 0 ? artifact.size !== null : names.includes(artifact.name)) found.push(artifact);
  const missing = names.find((name) => !found.some((artifact) => artifact.name === name));
  if (missing !== undefined) throw new Failure(`Build ${nameOf(build)} has no artifact "${missing}"`);
  const empty = found.find(({ size }) => size === null);
  if (empty) throw new Failure(`Artifact "${empty.name}" has no content: it was not collected, or was deleted`);
  return found;
}

export const run: Handler<Specs["artifacts download"]> = async (io, { build, names, into = ".", force = false }) => {
  const session = await connect(io);
  const ref = await findBuild(session, build);
  const artifacts = await wantedOf(session, ref, names);
  if (artifacts.length === 0) note(io, `Build ${nameOf(ref)} has no artifacts with content`);
  let code: number = exit.done;
  for (const artifact of artifacts) {
    const { name, size, sha256 } = artifact;
    const path = `${pathOf(ref)}/artifacts/${encodeName(name)}`;
    try {
      await saveContent(io, session.client, { path, name, sizeBytes: size ?? 0, sha256 }, { into, force });
      if (io.options.json) await printJsonLine(io, artifact);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      io.stderr.write(`${visible(error.message)}\n`);
      code = exit.failed;
    }
  }
  return code;
};
