import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { batched } from "@ci/kit/turns/batch";
import { type Collection, MongoBulkWriteError, type OptionalUnlessRequiredId } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

type NewBuild = OptionalUnlessRequiredId<BuildDoc>;
interface Insertion {
  readonly doc: NewBuild;
  readonly bytes: number;
  readonly signal?: AbortSignal;
}
/** Why a build could not be stored; undefined if it is stored. */
type Failure = { readonly error: unknown } | undefined;

const maxBytes = fixedLimit({
  max: 8 * 1024 ** 2,
  unit: "bytes",
  about: "new builds that one write stores",
  effect: "the next write stores the others",
});

const stored = (): Failure => undefined;
const failed = (error: unknown): Failure => ({ error });

function refusedIn(error: unknown): Set<number> {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError()) return new Set();
  return new Set([error.writeErrors].flat().map(({ index }) => index));
}

type Insert = (doc: BuildDoc, bytes: number, signal?: AbortSignal) => Promise<void>;

/** Returns a function that stores a build. Concurrent calls share a write, and each hears of its own build only. */
export function buildInserter(builds: Collection<BuildDoc>): Insert {
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

  const limits = { maxItems: 100, waitMs: 0, maxBytes, bytesOf: ({ bytes }: Insertion) => bytes };
  const insertSoon = batched<Insertion, Failure>(limits, async (insertions) => {
    const docs = insertions.filter(({ signal }) => !signal?.aborted).map(({ doc }) => doc);
    const failures = docs.length > 1 ? await insertMany(docs) : await Promise.all(docs.map(insertOne));
    const failureOf = new Map(docs.map((doc, index) => [doc, failures[index]]));
    return insertions.map(({ doc, signal }) => (failureOf.has(doc) ? failureOf.get(doc) : failed(signal?.reason)));
  });
  return async (doc, bytes, signal) => {
    const failure = await insertSoon({ doc: doc as NewBuild, bytes, signal });
    if (failure) throw failure.error;
  };
}
