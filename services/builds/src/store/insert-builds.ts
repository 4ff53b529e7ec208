import { batched } from "@ci/kit/process/batch";
import { type Collection, MongoBulkWriteError, type OptionalUnlessRequiredId } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

type NewBuild = OptionalUnlessRequiredId<BuildDoc>;
/** Why a build could not be stored; undefined if it is stored. */
type Failure = { readonly error: unknown } | undefined;

const stored = (): Failure => undefined;
const failed = (error: unknown): Failure => ({ error });

function refusedIn(error: unknown): Set<number> {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) return new Set();
  return new Set([error.writeErrors].flat().map(({ index }) => index));
}

/** Returns a function that stores a build. Concurrent calls share a write, and each hears of its own build only. */
export function buildInserter(builds: Collection<BuildDoc>): (doc: BuildDoc) => Promise<void> {
  const insertOne = (doc: NewBuild) => builds.insertOne(doc).then(stored, failed);

  async function insertMany(docs: readonly NewBuild[]): Promise<Failure[]> {
    try {
      await builds.insertMany(docs, { ordered: false });
      return docs.map(stored);
    } catch (error) {
      const refused = refusedIn(error);
      // The driver also wraps a lost connection: then it is unknown what was stored.
      if (refused.size === 0) return docs.map(() => failed(error));
      // Only the driver makes the error of a single build: the second attempt is refused like the first one.
      return Promise.all(docs.map((doc, index) => (refused.has(index) ? insertOne(doc) : stored())));
    }
  }

  const insertSoon = batched<NewBuild, Failure>({ maxItems: 100, waitMs: 0 }, async (docs) =>
    docs.length === 1 ? [await insertOne(docs[0]!)] : insertMany(docs),
  );
  return async (doc) => {
    const failure = await insertSoon(doc as NewBuild);
    if (failure) throw failure.error;
  };
}
