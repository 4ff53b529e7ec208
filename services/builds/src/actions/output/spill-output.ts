import type { Context } from "../../context.js";
import type { BuildDoc } from "../../domain/build.js";

/** Moves older output out of a build's document, whose size is limited. */
export async function spillOutput(
  { output, builds }: Pick<Context, "output" | "builds">,
  doc: BuildDoc,
): Promise<void> {
  const tailFrom = await output.spill(doc);
  if (tailFrom !== undefined) await builds.trimTail(doc._id, tailFrom);
}
