import type { Collection, Filter, UpdateFilter } from "mongodb";
import type { Sealed } from "../domain/sealed.js";

type SealedDoc = Sealed & { _id: number };

/** What collections of records with a secret offer to whoever renews the encryption. */
export const sealedStore = <D extends SealedDoc>(collection: Collection<D>) => ({
  /** What is sealed with another key than this, deleted records included as long as they are there. */
  notSealedWith: (keyId: string): AsyncIterable<SealedDoc> =>
    collection
      .find({ sealedWith: { $ne: keyId } } as unknown as Filter<D>)
      .project<SealedDoc>({ sealed: 1, sealedWith: 1 }),

  /** Replaces a sealed secret by the same one sealed anew; false when somebody else was quicker. */
  async reseal(was: SealedDoc, now: Sealed): Promise<boolean> {
    const still = { _id: was._id, sealed: was.sealed } as unknown as Filter<D>;
    return (await collection.updateOne(still, { $set: now } as unknown as UpdateFilter<D>)).matchedCount > 0;
  },
});
