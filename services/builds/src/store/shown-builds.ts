import { batched } from "@ci/kit/turns/batch";
import type { Collection, Filter } from "mongodb";
import type { BuildDoc } from "../domain/build.js";
import { maxListedBytes } from "../domain/listed.js";
import { largeFields, type ShownBuild, shownFields } from "../domain/shown-build.js";

/** The fields of a build that its record is made of. */
export const shown = Object.fromEntries(shownFields.map((field) => [field, 1]));

const manifestBytes = { $strLenBytes: "$manifest" };
/** As many characters of a manifest have at least the bytes that a list shows. To cut a short one would take MongoDB longer. */
const beginning = { $substrCP: ["$manifest", 0, maxListedBytes] };
export const manifestBeginning = {
  manifest: { $cond: [{ $gt: [manifestBytes, maxListedBytes] }, beginning, "$manifest"] },
  manifestBytes,
};
const { tail: _, parts: __, ...withoutOutput } = shown;
export const listFields = {
  whole: { ...shown, ...manifestBeginning },
  brief: { ...withoutOutput, ...manifestBeginning },
};

const large: ReadonlySet<string> = new Set(largeFields);

export const copied = Object.fromEntries(Object.entries(shown).filter(([field]) => !large.has(field)));

type BuildNumber = Pick<BuildDoc, "userId" | "number">;

const keyOf = ({ userId, number }: BuildNumber) => `${userId}/${number}`;

/** Matches these builds, with one branch for each user: each is a range of the index of numbers. */
function filterOf(asks: readonly BuildNumber[]): Filter<BuildDoc> {
  const numbers = new Map<number, number[]>();
  for (const { userId, number } of asks) numbers.set(userId, [...(numbers.get(userId) ?? []), number]);
  const branches = [...numbers].map(([userId, some]) => ({ userId, number: { $in: some } }));
  return branches.length === 1 ? branches[0]! : { $or: branches };
}

/** Returns a function that finds builds by number. Concurrent calls share a query, which begins after all of them. */
export const shownBuilds = (builds: Collection<BuildDoc>) => {
  const find = batched<BuildNumber, ShownBuild | undefined>({ maxItems: 50, waitMs: 0 }, async (asks) => {
    const distinct = [...new Map(asks.map((ask) => [keyOf(ask), ask])).values()];
    const docs = await builds.find<ShownBuild>(filterOf(distinct), { projection: shown }).toArray();
    const found = new Map(docs.map((doc) => [keyOf(doc), doc]));
    return asks.map((ask) => found.get(keyOf(ask)));
  });
  return (userId: number, number: number): Promise<ShownBuild | undefined> => find({ userId, number });
};
