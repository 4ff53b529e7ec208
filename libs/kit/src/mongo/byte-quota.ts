import type { Collection, Db, Document, Filter } from "mongodb";
import type { PutOptions } from "../bytes/blobs.js";
import { roundedSize } from "../bytes/size-text.js";
import { type Fields, invalid } from "../rpc/fault.js";
import { type Quota, without } from "./quota.js";
import { boundOf } from "./quota-holds.js";

/** How many bytes of these records one user may store. `remedy` says how to free space. */
export interface ByteLimit {
  readonly records: string;
  readonly max: number;
  readonly remedy: string;
}

export const byteComplaint = ({ records, remedy }: Omit<ByteLimit, "max">, max: string, used: string): string =>
  `File exceeds the storage quota of ${max} per user for ${records}, ${used} are used: ${remedy} to free space`;

export const byteComplaints = (limit: ByteLimit, used: number): Fields => ({
  file: [byteComplaint(limit, roundedSize(limit.max), roundedSize(used))],
});

/** Limits the sum of a field over the records that match. `amount` is what a new record adds. */
export const byteQuota = <T extends Document>(
  collection: Collection<T>,
  { matching, field }: { readonly matching: Filter<T>; readonly field: string },
  limit: ByteLimit,
  amount: number,
): Quota => ({
  key: `${collection.collectionName}.${field}/${JSON.stringify(matching)}`,
  max: limit.max,
  amount,
  sums: true,
  async used(except) {
    const sum = { $group: { _id: null, bytes: { $sum: `$${field}` } } };
    const [found] = await collection
      .aggregate<{ bytes: number }>([{ $match: without(matching, except) }, sum])
      .toArray();
    return found?.bytes ?? 0;
  },
  complaints: (used) => byteComplaints(limit, used),
});

/** Ends an upload as soon as it takes more than a quota has left now. `quota` must hold again when it is recorded. */
export async function withinRoom(db: Db, quota: Quota, options: PutOptions): Promise<PutOptions> {
  if (quota.max === 0) return options;
  const atMost = await boundOf(db, quota);
  if (atMost !== undefined && quota.max - atMost >= options.maxBytes) return options;
  const used = await quota.used([]);
  const room = Math.max(0, quota.max - used);
  if (room >= options.maxBytes) return options;
  return { ...options, maxBytes: room, tooLarge: () => invalid(quota.complaints(used)) };
}
