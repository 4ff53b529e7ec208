import { liveScopes } from "@ci/access/record-scope";
import type { PutOptions } from "@ci/kit/bytes/blobs";
import { byteQuota, withinRoom } from "@ci/kit/mongo/byte-quota";
import type { Nudge } from "@ci/kit/mongo/outbox";
import { countQuota } from "@ci/kit/mongo/quota";
import type { Db } from "mongodb";
import type { Quotas } from "../config.js";
import type { ObjectDoc } from "../domain/object.js";
import { type Place, scopedStore } from "./scoped.js";

export const objectStore = (db: Db, nudge: Nudge, limits: Quotas) => {
  const objects = db.collection<ObjectDoc>("objects");
  const storage = ({ userId, size = 1 }: Place) =>
    byteQuota(objects, { matching: { userId, scope: liveScopes }, field: "size" }, limits.objectStorage, size);
  const quotas = (place: Place) => {
    const { scope } = place;
    return [storage(place), ...(scope ? [countQuota(objects, { scope }, limits.objects)] : [])];
  };
  return {
    ...scopedStore({ db, collection: objects, field: "name", suffix: "-", quotas }, nudge),

    /** Returns options that also end an upload which exceeds the user's quota. */
    withinRoom: (userId: number, options: PutOptions): Promise<PutOptions> =>
      withinRoom(db, storage({ userId }), options),

    uses: async (blobId: string): Promise<boolean> =>
      (await objects.findOne({ blobId, deletedAt: { $exists: false } }, { projection: { _id: 1 } })) !== null,
  };
};

export type ObjectStore = ReturnType<typeof objectStore>;
