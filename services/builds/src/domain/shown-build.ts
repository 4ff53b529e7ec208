import type { Build, QueuePlace } from "@ci/proto/builds/v1/builds";
import type { BuildDoc } from "./build.js";
import { lastBytes } from "./characters.js";
import { shownTail } from "./side-by-side.js";

/** The fields from which the record of a build is made. */
export type ShownBuild = Pick<BuildDoc, (typeof shownFields)[number]>;

/** The fields that may be large. Copies of the record inside other records do not show them. */
export const largeFields = ["manifest", "tail", "parts"] as const;

/** Without the output. */
export type BriefBuild = Omit<ShownBuild, "tail" | "parts">;

export type CopiedBuild = Omit<ShownBuild, (typeof largeFields)[number]>;

export const shownFields = [
  "_id",
  "userId",
  "namespaceId",
  "rootId",
  "number",
  "status",
  "tags",
  "pinned",
  "createdAt",
  "startedAt",
  "finishedAt",
  "reason",
  "manifest",
  "trigger",
  "outputBytes",
  "tests",
  "driver",
  "tail",
  "tailFrom",
  "awaitsApproval",
  "concurrency",
  "axes",
  "group",
  "parts",
] as const satisfies readonly (keyof BuildDoc)[];

export const toBuild = (doc: CopiedBuild & Pick<ShownBuild, "manifest">): Build => ({
  id: doc._id,
  userId: doc.userId,
  namespaceId: doc.namespaceId,
  number: doc.number,
  status: doc.status,
  tags: doc.tags,
  pinned: doc.pinned,
  createdAt: doc.createdAt,
  startedAt: doc.startedAt,
  finishedAt: doc.finishedAt,
  reason: doc.reason,
  manifest: doc.manifest,
  trigger: doc.trigger,
  outputBytes: doc.outputBytes,
  tests: doc.tests,
  group: doc.group && { ...doc.group, axes: doc.axes ?? {} },
});

const shortOutputBytes = 64 * 1024;

/** Returns the record for lists and events, with the end of the output and, while queued, its place. */
export function toShortBuild(doc: ShownBuild, queue?: QueuePlace, limitBytes = shortOutputBytes): Build {
  const text = shownTail(doc)
    .map((chunk) => chunk.text)
    .join("");
  return {
    ...toBuild(doc),
    // Older output of a parallel stage may have moved out of the record.
    output: lastBytes(text, limitBytes) ?? (doc.outputBytes > 0 && doc.parts ? "" : undefined),
    queue: doc.status === "queued" ? queue : undefined,
  };
}
