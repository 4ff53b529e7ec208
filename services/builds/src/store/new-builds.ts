import { sizeText } from "@ci/kit/bytes/size-text";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { invalid } from "@ci/kit/rpc/fault";
import { BSON } from "mongodb";
import type { BuildDoc } from "../domain/build.js";
import { searchedBy } from "./selection.js";

const advice = "use fewer jobs, shorter commands, or fewer or shorter variables";
const adviceForMatrix = "use fewer combinations, fewer jobs or shorter commands";
/** The rest of a document's 16 MiB is for artifacts, output, waiting events, and what jobs and users add. */
const maxNewBytes = fixedLimit({
  max: 7 * 1024 ** 2,
  unit: "bytes",
  about: "record of a new build with its first events, and records of a matrix's new builds together",
  refusal: `Manifest makes a build of more than N; ${advice}`,
});

/** Events that always have room: another one of a user, one for each of three starts, and the last one. */
const laterEvents = 5;

export interface NewSize {
  readonly bytes: number;
  readonly bytesWithEvents: number;
}

/** Its first event leaves the record soon. */
const bytesWithoutEvents = (doc: BuildDoc): number => BSON.calculateObjectSize({ ...doc, outbox: [] });

export const asStored = (doc: BuildDoc): BuildDoc => ({
  ...doc,
  ...searchedBy(doc.tags),
  unapprovedBytes: doc.awaitsApproval && bytesWithoutEvents(doc),
});

/** Returns the size of a new build's record, and the size that it must have room for. */
export function newSize(doc: BuildDoc): NewSize {
  const bytes = BSON.calculateObjectSize(doc);
  const ofEvents = doc.outbox.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
  return { bytes, bytesWithEvents: bytes + laterEvents * ofEvents };
}

export const bytesOfAll = (sizes: readonly NewSize[]): number => sizes.reduce((sum, { bytes }) => sum + bytes, 0);

/** Complains if a new build, or the builds of a matrix together, are too large. */
export function recordComplaints(sizes: readonly NewSize[]): string[] {
  const limit = sizeText(maxNewBytes);
  if (sizes.some(({ bytesWithEvents }) => bytesWithEvents > maxNewBytes))
    return [`Manifest makes a build of more than ${limit}; ${advice}`];
  if (bytesOfAll(sizes) <= maxNewBytes) return [];
  return [`Manifest matrix makes builds that are larger than ${limit} together; ${adviceForMatrix}`];
}

/** Returns new builds as they are stored, and their bytes. Throws `invalid` if they are too large. Other work runs in between. */
export async function requireStorable(docs: readonly BuildDoc[]): Promise<{ stored: BuildDoc[]; bytes: number }> {
  const stored: BuildDoc[] = [];
  const sizes: NewSize[] = [];
  for (const doc of docs) {
    if (stored.length > 0) await new Promise(setImmediate);
    const one = asStored(doc);
    stored.push(one);
    sizes.push(newSize(one));
  }
  const manifest = recordComplaints(sizes);
  if (manifest.length > 0) throw invalid({ manifest });
  return { stored, bytes: bytesOfAll(sizes) };
}
