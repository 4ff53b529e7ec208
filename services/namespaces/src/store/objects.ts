import type { Nudge } from "@ci/kit/mongo/outbox";
import type { Db } from "mongodb";
import type { ObjectDoc } from "../domain/object.js";
import { scopedStore } from "./scoped.js";

export const objectStore = (db: Db, nudge: Nudge) => {
  const objects = db.collection<ObjectDoc>("objects");
  return {
    ...scopedStore(objects, "name", "-", nudge),

    /** Reports whether this is the content of an object. */
    uses: async (blobId: string): Promise<boolean> =>
      (await objects.findOne({ blobId, deletedAt: { $exists: false } }, { projection: { _id: 1 } })) !== null,
  };
};

export type ObjectStore = ReturnType<typeof objectStore>;
