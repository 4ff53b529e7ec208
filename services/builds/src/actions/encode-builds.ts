import { pacer } from "@ci/kit/turns/pacer";
import { Build, type QueuePlace } from "@ci/proto/builds/v1/builds";
import { type BriefBuild, type ShownBuild, toBuild, toShortBuild } from "../domain/shown-build.js";

type Places = ReadonlyMap<number, QueuePlace>;

const slicePieces = 2_000;

const encoded = (build: Build): Buffer => Buffer.from(Build.encode(build).finish());

/** Returns the records of a list, encoded. Other work runs between builds with many pieces of output. */
export async function encodeBuilds(
  docs: readonly ShownBuild[],
  places: Places,
  outputBytes: number,
): Promise<Buffer[]> {
  const pace = pacer(slicePieces);
  const builds: Buffer[] = [];
  for (const doc of docs) {
    builds.push(encoded(toShortBuild(doc, places.get(doc._id), outputBytes)));
    const pause = pace(doc.tail.length + (doc.parts?.length ?? 0));
    if (pause) await pause;
  }
  return builds;
}

export const encodeBriefly = (docs: readonly BriefBuild[], places: Places): Buffer[] =>
  docs.map((doc) => encoded({ ...toBuild(doc), queue: places.get(doc._id) }));
