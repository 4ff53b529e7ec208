import { liveScopes } from "@ci/access/record-scope";
import type { PutOptions } from "@ci/kit/bytes/blobs";
import { byteQuota, withinRoom } from "@ci/kit/mongo/byte-quota";
import { countQuota, type Quota, quotaComplaints } from "@ci/kit/mongo/quota";
import type { Fields } from "@ci/kit/rpc/fault";
import type { Collection, Db } from "mongodb";
import type { Config } from "../config.js";
import type { ImageDoc } from "../domain/image.js";

export type ImageLimits = Pick<Config, "imagesPerNamespace" | "imageStorage">;

/** Where a new image belongs. Without a scope, its namespace does not exist yet. */
export interface Place {
  readonly userId: number;
  readonly scope?: string | undefined;
  readonly size?: number | undefined;
}

export const imageQuotas = (db: Db, images: Collection<ImageDoc>, limits: ImageLimits) => {
  const storage = ({ userId }: Pick<Place, "userId">, amount = 1): Quota =>
    byteQuota(images, { matching: { userId, scope: liveScopes }, field: "size" }, limits.imageStorage, amount);

  const all = (place: Place): Quota[] => {
    const { scope, size } = place;
    return [storage(place, size), ...(scope ? [countQuota(images, { scope }, limits.imagesPerNamespace)] : [])];
  };

  return {
    storage,
    all,

    /** Returns the complaint if a place has no room for a new image. */
    complaints: (place: Place): Promise<Fields> => quotaComplaints(all(place)),

    /** Returns options that also end an upload which exceeds the user's quota. */
    withinRoom: (userId: number, options: PutOptions): Promise<PutOptions> =>
      withinRoom(db, storage({ userId }), options),
  };
};
