import type { Collection, Db } from "mongodb";
import type { ObjectDoc } from "../domain/object.js";
import { scopedStore } from "./scoped.js";

/** The objects; their bytes are elsewhere. */
export const objectStore = (db: Db, news: (collection: Collection<never>, id: number) => void) => {
  const objects = db.collection<ObjectDoc>("objects");
  return {
    ...scopedStore(objects, "name", "-", news),

    /** Whether an object has its bytes there. */
    uses: async (blobId: string): Promise<boolean> =>
      (await objects.findOne({ blobId, deletedAt: { $exists: false } }, { projection: { _id: 1 } })) !== null,
  };
};

export type ObjectStore = ReturnType<typeof objectStore>;
